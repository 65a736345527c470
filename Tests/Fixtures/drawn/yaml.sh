# An emitter with its output, as results 1 and 2, and with the begin of a stream, as results 3 and 4.
emitter='yaml_emitter_initialize {"bytes":432} --then yaml_emitter_set_output_string $1.emitter {"bytes":100} 100 [0]'
stream='yaml_stream_start_event_initialize {"bytes":104} YAML_UTF8_ENCODING --then yaml_emitter_emit $1.emitter $3.event'
document='yaml_document_initialize {"bytes":104} null null null 1 1'
# A document with a text, and the end of the stream, as results 5 to 12. The first argument is an event, which each call fills again.
emit() {
  echo yaml_document_start_event_initialize '$3.event' null null null 1 --then yaml_emitter_emit '$1.emitter' '$3.event' \
    --then yaml_scalar_event_initialize '$3.event' null null "$1" "$2" 1 1 YAML_ANY_SCALAR_STYLE --then yaml_emitter_emit '$1.emitter' '$3.event' \
    --then yaml_document_end_event_initialize '$3.event' 1 --then yaml_emitter_emit '$1.emitter' '$3.event' \
    --then yaml_stream_end_event_initialize '$3.event' --then yaml_emitter_emit '$1.emitter' '$3.event'
}
# Prints the document of the given calls, the first of which initializes it.
dump() {
  indent=$1 number=$2
  shift 2
  call "$@" --then yaml_emitter_initialize '{"bytes": 432}' \
    --then yaml_emitter_set_output_string "\$$((number + 1)).emitter" '{"bytes": 100}' 100 '[0]' \
    --then yaml_emitter_set_indent "\$$((number + 1)).emitter" "$indent" --then yaml_emitter_open "\$$((number + 1)).emitter" \
    --then yaml_emitter_dump "\$$((number + 1)).emitter" '$1.document' --then yaml_emitter_close "\$$((number + 1)).emitter" \
    --then memcpy '{"bytes": 40}' "\$$((number + 2)).output" 40 | value dest
}
yaml_emitter_set_output_string() { call $emitter --then $stream --then $(emit some 4) --then memcpy '{"bytes": 20}' '$2.output' 20 | value dest; }
yaml_emitter_set_output() {
  call yaml_emitter_initialize '{"bytes": 432}' --then yaml_emitter_set_output '$1.emitter' append_text '{"bytes": 100}' --then $stream \
    --then $(emit some 4) --then memcpy '{"bytes": 20}' '$2.data' 20 | value dest
}
yaml_token_delete() {
  token='yaml_parser_initialize {"bytes":480} --then yaml_parser_set_input_string $1.parser a:1 3 --then yaml_parser_scan $1.parser {"bytes":80}'
  call $token --then memcpy '{"bytes": 8}' '$3.token' 8 | value dest
  call $token --then yaml_token_delete '$3.token' --then memcpy '{"bytes": 8}' '$3.token' 8 | value dest
}
yaml_emitter_set_output_file() {
  call yaml_emitter_initialize '{"bytes": 432}' --then fopen emitted w --then yaml_stream_start_event_initialize '{"bytes": 104}' YAML_UTF8_ENCODING \
    --then yaml_emitter_set_output_file '$1.emitter' '$2' --then yaml_emitter_emit '$1.emitter' '$3.event' --then $(emit some 4) --then fclose '$2' > /dev/null
  cat emitted
}
yaml_get_version() { call yaml_get_version '[0]' '[0]' '[0]' | value; }
yaml_emitter_delete() {
  call $emitter --then $stream --then yaml_emitter_delete '$1.emitter' --then memcpy '{"bytes": 432}' '$1.emitter' 432 | value dest
}
yaml_document_append_mapping_pair() {
  pair="$document --then yaml_document_add_mapping \$1.document null YAML_ANY_MAPPING_STYLE
    --then yaml_document_add_scalar \$1.document null key 3 YAML_ANY_SCALAR_STYLE --then yaml_document_append_mapping_pair \$1.document 1 2 2"
  call $pair
  dump 2 4 $pair
}
yaml_emitter_set_width() {
  call $emitter --then $stream --then yaml_emitter_set_width '$1.emitter' 12 \
    --then yaml_document_start_event_initialize '$3.event' null null null 1 --then yaml_emitter_emit '$1.emitter' '$3.event' \
    --then yaml_scalar_event_initialize '$3.event' null null 'a text that is longer than the line' 35 1 1 YAML_ANY_SCALAR_STYLE \
    --then yaml_emitter_emit '$1.emitter' '$3.event' --then yaml_document_end_event_initialize '$3.event' 1 \
    --then yaml_emitter_emit '$1.emitter' '$3.event' --then yaml_stream_end_event_initialize '$3.event' \
    --then yaml_emitter_emit '$1.emitter' '$3.event' --then memcpy '{"bytes": 60}' '$2.output' 60 | value dest
}
yaml_document_append_sequence_item() {
  item="$document --then yaml_document_add_sequence \$1.document null YAML_FLOW_SEQUENCE_STYLE
    --then yaml_document_add_scalar \$1.document null item 4 YAML_ANY_SCALAR_STYLE --then yaml_document_append_sequence_item \$1.document 1 2"
  call $item
  dump 2 4 $item
}
yaml_document_add_mapping() {
  mapping="$document --then yaml_document_add_mapping \$1.document tag:example.org,2026:map YAML_FLOW_MAPPING_STYLE"
  call $mapping
  dump 2 2 $mapping
}
yaml_stream_start_event_initialize() {
  event=$(call yaml_stream_start_event_initialize '{"bytes": 104}' YAML_UTF16LE_ENCODING)
  value result <<< "$event"
  value 'event.data.stream_start.encoding' <<< "$event"
}
yaml_emitter_initialize() {
  call yaml_emitter_initialize '{"bytes": 432}' | value result
  call $emitter --then $stream --then $(emit some 4) --then memcpy '{"bytes": 8}' '$2.size_written' 8 | value dest
}
yaml_emitter_set_indent() {
  dump 6 6 $document --then yaml_document_add_mapping '$1.document' null YAML_BLOCK_MAPPING_STYLE \
    --then yaml_document_add_mapping '$1.document' null YAML_BLOCK_MAPPING_STYLE \
    --then yaml_document_add_scalar '$1.document' null key 3 YAML_ANY_SCALAR_STYLE \
    --then yaml_document_append_mapping_pair '$1.document' 1 3 2 --then yaml_document_append_mapping_pair '$1.document' 2 3 3
}
yaml_get_version_string() { call yaml_get_version_string; }
yaml_emitter_open() {
  call $emitter --then yaml_emitter_open '$1.emitter'
  call $emitter --then yaml_emitter_open '$1.emitter' --then abs '$1.emitter.opened'
}
yaml_emitter_flush() {
  flush="yaml_document_start_event_initialize \$3.event null null null 0 --then yaml_emitter_emit \$1.emitter \$3.event
    --then yaml_scalar_event_initialize \$3.event null null some 4 1 1 YAML_ANY_SCALAR_STYLE --then yaml_emitter_emit \$1.emitter \$3.event
    --then yaml_emitter_flush \$1.emitter"
  call $emitter --then $stream --then $flush
  call $emitter --then $stream --then $flush --then memcpy '{"bytes": 20}' '$2.output' 20 | value dest
}
yaml_document_start_event_initialize() {
  call yaml_document_start_event_initialize '{"bytes": 104}' '{"major": 1, "minor": 1}' null null 0 | value result
  call $emitter --then $stream --then yaml_document_start_event_initialize '$3.event' '{"major": 1, "minor": 1}' null null 0 \
    --then yaml_emitter_emit '$1.emitter' '$3.event' --then yaml_scalar_event_initialize '$3.event' null null some 4 1 1 YAML_ANY_SCALAR_STYLE \
    --then yaml_emitter_emit '$1.emitter' '$3.event' --then yaml_emitter_flush '$1.emitter' --then memcpy '{"bytes": 30}' '$2.output' 30 | value dest
}
yaml_document_get_node() {
  node=$(call $document --then yaml_document_add_scalar '$1.document' null key 3 YAML_ANY_SCALAR_STYLE --then yaml_document_get_node '$1.document' 1)
  value type <<< "$node"
  value data.scalar.length <<< "$node"
}
yaml_emitter_close() {
  call $emitter --then yaml_emitter_open '$1.emitter' --then yaml_emitter_close '$1.emitter'
  call $emitter --then yaml_emitter_open '$1.emitter' --then yaml_emitter_close '$1.emitter' --then abs '$1.emitter.closed'
}
yaml_scalar_event_initialize() {
  call yaml_scalar_event_initialize '{"bytes": 104}' anchor null some 4 1 1 YAML_SINGLE_QUOTED_SCALAR_STYLE | value result
  call $emitter --then $stream --then yaml_document_start_event_initialize '$3.event' null null null 0 \
    --then yaml_emitter_emit '$1.emitter' '$3.event' \
    --then yaml_scalar_event_initialize '$3.event' anchor null some 4 1 1 YAML_SINGLE_QUOTED_SCALAR_STYLE \
    --then yaml_emitter_emit '$1.emitter' '$3.event' --then yaml_emitter_flush '$1.emitter' --then memcpy '{"bytes": 30}' '$2.output' 30 | value dest
}

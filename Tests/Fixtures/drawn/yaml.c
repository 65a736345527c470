// header: yaml.h
// package: yaml-0.1
#include <yaml.h>

#include "callbacks.h"
#include "drawn.h"

static yaml_emitter_t emitter;
static unsigned char output[100];
static size_t size;

// Begins a stream in the output.
static void begin(void) {
  yaml_event_t event;
  memset(output, 0, 100);
  yaml_emitter_initialize(&emitter);
  yaml_emitter_set_output_string(&emitter, output, 100, &size);
  yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
  yaml_emitter_emit(&emitter, &event);
}

// Adds a document with a text, and ends the stream.
static void emit(const char *text, int length) {
  yaml_event_t event;
  yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1);
  yaml_emitter_emit(&emitter, &event);
  yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text, length, 1, 1, YAML_ANY_SCALAR_STYLE);
  yaml_emitter_emit(&emitter, &event);
  yaml_document_end_event_initialize(&event, 1);
  yaml_emitter_emit(&emitter, &event);
  yaml_stream_end_event_initialize(&event);
  yaml_emitter_emit(&emitter, &event);
}

// Prints a document.
static void dump(yaml_document_t *document, int indent) {
  memset(output, 0, 100);
  yaml_emitter_initialize(&emitter);
  yaml_emitter_set_output_string(&emitter, output, 100, &size);
  yaml_emitter_set_indent(&emitter, indent);
  yaml_emitter_open(&emitter);
  yaml_emitter_dump(&emitter, document);
  yaml_emitter_close(&emitter);
  hex(output, 40);
}

int main(void) {
  yaml_event_t event;
  yaml_document_t document;
  drawn(yaml_emitter_set_output_string) {
    begin();
    emit("some", 4);
    hex(output, 20);
  }
  drawn(yaml_emitter_set_output) {
    char text[100] = "";
    begin();
    yaml_emitter_initialize(&emitter);
    yaml_emitter_set_output(&emitter, append_text, text);
    yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
    yaml_emitter_emit(&emitter, &event);
    emit("some", 4);
    hex(text, 20);
  }
  drawn(yaml_token_delete) {
    yaml_parser_t parser;
    yaml_token_t token;
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)"a:1", 3);
    yaml_parser_scan(&parser, &token);
    hex(&token, 8);
    yaml_token_delete(&token);
    hex(&token, 8);
  }
  drawn(yaml_emitter_set_output_file) {
    FILE *file = fopen("emitted", "w+");
    yaml_emitter_initialize(&emitter);
    yaml_emitter_set_output_file(&emitter, file);
    yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
    yaml_emitter_emit(&emitter, &event);
    emit("some", 4);
    fflush(file);
    fflush(stdout);
    system("cat emitted");
    fclose(file);
  }
  drawn(yaml_get_version) {
    int major, minor, patch;
    yaml_get_version(&major, &minor, &patch);
    printf("%d %d %d\n", major, minor, patch);
  }
  drawn(yaml_emitter_delete) {
    begin();
    yaml_emitter_delete(&emitter);
    hex(&emitter, sizeof emitter);
  }
  drawn(yaml_document_append_mapping_pair) {
    yaml_document_initialize(&document, NULL, NULL, NULL, 1, 1);
    yaml_document_add_mapping(&document, NULL, YAML_ANY_MAPPING_STYLE);
    yaml_document_add_scalar(&document, NULL, (const yaml_char_t *)"key", 3, YAML_ANY_SCALAR_STYLE);
    printf("%d\n", yaml_document_append_mapping_pair(&document, 1, 2, 2));
    dump(&document, 2);
  }
  drawn(yaml_emitter_set_width) {
    begin();
    yaml_emitter_set_width(&emitter, 12);
    emit("a text that is longer than the line", 35);
    hex(output, 60);
  }
  drawn(yaml_document_append_sequence_item) {
    yaml_document_initialize(&document, NULL, NULL, NULL, 1, 1);
    yaml_document_add_sequence(&document, NULL, YAML_FLOW_SEQUENCE_STYLE);
    yaml_document_add_scalar(&document, NULL, (const yaml_char_t *)"item", 4, YAML_ANY_SCALAR_STYLE);
    printf("%d\n", yaml_document_append_sequence_item(&document, 1, 2));
    dump(&document, 2);
  }
  drawn(yaml_document_add_mapping) {
    yaml_document_initialize(&document, NULL, NULL, NULL, 1, 1);
    printf("%d\n", yaml_document_add_mapping(&document, (const yaml_char_t *)"tag:example.org,2026:map", YAML_FLOW_MAPPING_STYLE));
    dump(&document, 2);
  }
  drawn(yaml_stream_start_event_initialize) {
    printf("%d\n", yaml_stream_start_event_initialize(&event, YAML_UTF16LE_ENCODING));
    puts(event.data.stream_start.encoding == YAML_UTF16LE_ENCODING ? "YAML_UTF16LE_ENCODING" : "another");
  }
  drawn(yaml_emitter_initialize) {
    printf("%d\n", yaml_emitter_initialize(&emitter));
    begin();
    emit("some", 4);
    hex(&size, 8);
  }
  drawn(yaml_emitter_set_indent) {
    yaml_document_initialize(&document, NULL, NULL, NULL, 1, 1);
    yaml_document_add_mapping(&document, NULL, YAML_BLOCK_MAPPING_STYLE);
    yaml_document_add_mapping(&document, NULL, YAML_BLOCK_MAPPING_STYLE);
    yaml_document_add_scalar(&document, NULL, (const yaml_char_t *)"key", 3, YAML_ANY_SCALAR_STYLE);
    yaml_document_append_mapping_pair(&document, 1, 3, 2);
    yaml_document_append_mapping_pair(&document, 2, 3, 3);
    dump(&document, 6);
  }
  drawn(yaml_get_version_string) puts(yaml_get_version_string());
  drawn(yaml_emitter_open) {
    yaml_emitter_initialize(&emitter);
    yaml_emitter_set_output_string(&emitter, output, 100, &size);
    printf("%d\n", yaml_emitter_open(&emitter));
    printf("%d\n", emitter.opened);
  }
  drawn(yaml_emitter_flush) {
    begin();
    yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 0);
    yaml_emitter_emit(&emitter, &event);
    yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)"some", 4, 1, 1, YAML_ANY_SCALAR_STYLE);
    yaml_emitter_emit(&emitter, &event);
    printf("%d\n", yaml_emitter_flush(&emitter));
    hex(output, 20);
  }
  drawn(yaml_document_start_event_initialize) {
    yaml_version_directive_t version = {1, 1};
    begin();
    printf("%d\n", yaml_document_start_event_initialize(&event, &version, NULL, NULL, 0));
    yaml_emitter_emit(&emitter, &event);
    yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)"some", 4, 1, 1, YAML_ANY_SCALAR_STYLE);
    yaml_emitter_emit(&emitter, &event);
    yaml_emitter_flush(&emitter);
    hex(output, 30);
  }
  drawn(yaml_document_get_node) {
    yaml_document_initialize(&document, NULL, NULL, NULL, 1, 1);
    yaml_document_add_scalar(&document, NULL, (const yaml_char_t *)"key", 3, YAML_ANY_SCALAR_STYLE);
    yaml_node_t *node = yaml_document_get_node(&document, 1);
    puts(node->type == YAML_SCALAR_NODE ? "YAML_SCALAR_NODE" : "another");
    printf("%zu\n", node->data.scalar.length);
  }
  drawn(yaml_emitter_close) {
    yaml_emitter_initialize(&emitter);
    yaml_emitter_set_output_string(&emitter, output, 100, &size);
    yaml_emitter_open(&emitter);
    printf("%d\n", yaml_emitter_close(&emitter));
    printf("%d\n", emitter.closed);
  }
  drawn(yaml_scalar_event_initialize) {
    begin();
    yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 0);
    yaml_emitter_emit(&emitter, &event);
    printf(
      "%d\n", yaml_scalar_event_initialize(
                &event, (const yaml_char_t *)"anchor", NULL, (const yaml_char_t *)"some", 4, 1, 1, YAML_SINGLE_QUOTED_SCALAR_STYLE));
    yaml_emitter_emit(&emitter, &event);
    yaml_emitter_flush(&emitter);
    hex(output, 30);
  }
}

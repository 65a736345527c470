cat > types.asn << 'TYPES'
TEST { }
DEFINITIONS IMPLICIT TAGS ::=
BEGIN
id-inner OBJECT IDENTIFIER ::= { 1 2 3 }
Inner ::= SEQUENCE { number INTEGER }
Pair ::= SEQUENCE { number INTEGER, id OBJECT IDENTIFIER, octets OCTET STRING }
Any ::= SEQUENCE { type OBJECT IDENTIFIER, value ANY DEFINED BY type }
END
TYPES
# The DER of a pair whose octets are the DER of the type Inner, and of a sequence of an identifier and that.
pair='{"base64": "MA4CAQUGAioDBAUwAwIBBw=="}'
any='{"base64": "MAkGAioDMAMCAQc="}'
types='asn1_parser2tree types.asn [null] {"bytes":128} --then asn1_create_element $1.definitions[0]'
read_value() {
  value result <<< "$1"
  value ivalue <<< "$1"
  value len <<< "$1"
}
asn1_get_octet_der() {
  octets=$(call asn1_get_octet_der '{"base64": "A2FiYw=="}' 4 '[0]' '{"bytes": 10}' 10 '[0]')
  for name in result ret_len str str_len; do value $name <<< "$octets"; done
}
asn1_get_length_der() {
  length=$(call asn1_get_length_der '{"base64": "A2FiYw=="}' 4 '[0]')
  for name in result len; do value $name <<< "$length"; done
}
asn1_write_value() {
  write="$types TEST.Pair [null] --then asn1_write_value \$2.element[0] id"
  call $write '{"base64": "MS4yLjMA"}' 1
  read_value "$(call $write '{"base64": "MS4yLjMA"}' 1 --then asn1_read_value '$2.element[0]' id '{"bytes": 20}' '[20]')"
}
asn1_get_object_id_der() {
  id=$(call asn1_get_object_id_der '{"base64": "AioD"}' 3 '[0]' '{"bytes": 10}' 10)
  for name in result ret_len str; do value $name <<< "$id"; done
}
asn1_read_value() {
  read_value "$(call $types TEST.Pair '[null]' --then asn1_write_value '$2.element[0]' octets abc 3 \
    --then asn1_read_value '$2.element[0]' octets '{"bytes": 20}' '[20]')"
}
asn1_der_decoding_element() {
  call $types TEST.Pair '[null]' --then asn1_der_decoding_element '$2.element' number "$pair" 16 '{"bytes": 128}' | value result
  read_value "$(call $types TEST.Pair '[null]' --then asn1_der_decoding_element '$2.element' number "$pair" 16 '{"bytes": 128}' \
    --then asn1_read_value '$2.element[0]' number '{"bytes": 20}' '[20]')"
}
asn1_create_element() {
  call $types TEST.Inner '[null]' | value result
  call $types TEST.None '[null]' | value result
}
asn1_print_structure() {
  call $types TEST.Pair '[null]' --then fopen printed w --then asn1_print_structure '$3' '$2.element[0]' '' ASN1_PRINT_NAME_TYPE \
    --then fclose '$3' > /dev/null
  cat printed
}
asn1_decode_simple_ber() {
  decode='asn1_decode_simple_ber ASN1_ETYPE_OCTET_STRING {"base64":"BANhYmM="} 5 [null] [0] [0]'
  string=$(call $decode)
  for name in result str_len ber_len; do value $name <<< "$string"; done
  call $decode --then memcpy '{"bytes": 3}' '$1.str[0]' 3 | value dest
}
asn1_bit_der() {
  bits=$(call asn1_bit_der abc 20 '{"bytes": 10}' '[0]')
  for name in der der_len; do value $name <<< "$bits"; done
}
asn1_strerror() { call asn1_strerror ASN1_VALUE_NOT_FOUND; }
asn1_expand_any_defined_by() {
  expand="$types TEST.Any [null] --then asn1_der_decoding \$2.element"
  call $expand "$any" 11 '{"bytes": 128}' --then asn1_expand_any_defined_by '$1.definitions[0]' '$2.element'
  read_value "$(call $expand "$any" 11 '{"bytes": 128}' --then asn1_expand_any_defined_by '$1.definitions[0]' '$2.element' \
    --then asn1_read_value '$2.element[0]' value.number '{"bytes": 20}' '[20]')"
}
asn1_get_length_ber() {
  length=$(call asn1_get_length_ber '{"base64": "A2FiYw=="}' 4 '[0]')
  for name in result len; do value $name <<< "$length"; done
}
asn1_object_id_der() {
  id=$(call asn1_object_id_der 1.2.3 '{"bytes": 10}' '[10]' 0)
  for name in result der der_len; do value $name <<< "$id"; done
}
asn1_expand_octet_string() {
  expand="$types TEST.Pair [null] --then asn1_der_decoding \$2.element"
  call $expand "$pair" 16 '{"bytes": 128}' --then asn1_expand_octet_string '$1.definitions[0]' '$2.element' octets id
  read_value "$(call $expand "$pair" 16 '{"bytes": 128}' --then asn1_expand_octet_string '$1.definitions[0]' '$2.element' octets id \
    --then asn1_read_value '$2.element[0]' octets.number '{"bytes": 20}' '[20]')"
}
asn1_encode_simple_der() {
  simple=$(call asn1_encode_simple_der ASN1_ETYPE_OCTET_STRING abc 3 '{"bytes": 10}' '[10]')
  for name in result tl tl_len; do value $name <<< "$simple"; done
}
asn1_der_decoding() {
  call $types TEST.Pair '[null]' --then asn1_der_decoding '$2.element' "$pair" 16 '{"bytes": 128}' | value result
  read_value "$(call $types TEST.Pair '[null]' --then asn1_der_decoding '$2.element' "$pair" 16 '{"bytes": 128}' \
    --then asn1_read_value '$2.element[0]' id '{"bytes": 20}' '[20]')"
}
asn1_delete_structure() {
  call $types TEST.Pair '[null]' --then asn1_delete_structure '$2.element'
  call $types TEST.Pair '[null]' --then asn1_delete_structure '$2.element' --then asn1_delete_structure '$2.element'
}
asn1_der_decoding2() {
  decode="$types TEST.Pair [null] --then asn1_der_decoding2 \$2.element"
  call $decode "$pair" '[16]' ASN1_DECODE_FLAG_ALLOW_PADDING '{"bytes": 128}' | value result
  read_value "$(call $decode "$pair" '[16]' ASN1_DECODE_FLAG_ALLOW_PADDING '{"bytes": 128}' \
    --then asn1_read_value '$2.element[0]' number '{"bytes": 20}' '[20]')"
}
asn1_read_tag() {
  tag=$(call $types TEST.Pair '[null]' --then asn1_read_tag '$2.element[0]' octets '[0]' '[0]')
  value result <<< "$tag"
  echo "$(value tagValue <<< "$tag") $(value classValue <<< "$tag")"
}

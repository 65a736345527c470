// header: libtasn1.h
// package: libtasn1
#include <libtasn1.h>

#include "drawn.h"

// The DER of a pair whose octets are the DER of the type Inner, and of a sequence of an identifier and that.
static const unsigned char pair[] = {0x30, 14, 2, 1, 5, 6, 2, 0x2a, 3, 4, 5, 0x30, 3, 2, 1, 7}, any[] = {0x30, 9, 6, 2, 0x2a, 3, 0x30, 3, 2, 1, 7};

static asn1_node definitions;
static char message[128];

static asn1_node element(const char *name) {
  asn1_node element = NULL;
  asn1_create_element(definitions, name, &element);
  return element;
}

// Prints a value that was read.
static void read_value(asn1_node node, const char *name) {
  unsigned char bytes[20] = {0};
  int size = 20;
  printf("%d\n", asn1_read_value(node, name, bytes, &size));
  hex(bytes, 20);
  printf("%d\n", size);
}

int main(void) {
  asn1_parser2tree("types.asn", &definitions, message);
  const unsigned char octets[] = "\3abc";
  int used, size;
  unsigned char bytes[10];
  drawn(asn1_get_octet_der) {
    memset(bytes, 0, 10);
    printf("%d\n", asn1_get_octet_der(octets, 4, &used, bytes, 10, &size));
    printf("%d\n", used);
    hex(bytes, 10);
    printf("%d\n", size);
  }
  drawn(asn1_get_length_der) {
    printf("%ld\n", asn1_get_length_der(octets, 4, &used));
    printf("%d\n", used);
  }
  drawn(asn1_write_value) {
    asn1_node node = element("TEST.Pair");
    printf("%d\n", asn1_write_value(node, "id", "1.2.3", 1));
    read_value(node, "id");
  }
  drawn(asn1_get_object_id_der) {
    char text[10] = "";
    printf("%d\n", asn1_get_object_id_der((const unsigned char *)"\2\x2a\3", 3, &used, text, 10));
    printf("%d\n", used);
    puts(text);
  }
  drawn(asn1_read_value) {
    asn1_node node = element("TEST.Pair");
    asn1_write_value(node, "octets", "abc", 3);
    read_value(node, "octets");
  }
  drawn(asn1_der_decoding_element) {
    asn1_node node = element("TEST.Pair");
    printf("%d\n", asn1_der_decoding_element(&node, "number", pair, sizeof pair, message));
    read_value(node, "number");
  }
  drawn(asn1_create_element) {
    asn1_node node = NULL;
    printf("%d\n", asn1_create_element(definitions, "TEST.Inner", &node));
    printf("%d\n", asn1_create_element(definitions, "TEST.None", &node));
  }
  drawn(asn1_print_structure) {
    FILE *file = fopen("printed", "w");
    asn1_print_structure(file, element("TEST.Pair"), "", ASN1_PRINT_NAME_TYPE);
    fclose(file);
    fflush(stdout);
    system("cat printed");
  }
  drawn(asn1_decode_simple_ber) {
    unsigned char *string;
    unsigned length, read;
    printf("%d\n", asn1_decode_simple_ber(ASN1_ETYPE_OCTET_STRING, (const unsigned char *)"\4\3abc", 5, &string, &length, &read));
    printf("%u\n", length);
    printf("%u\n", read);
    hex(string, 3);
  }
  drawn(asn1_bit_der) {
    memset(bytes, 0, 10);
    asn1_bit_der((const unsigned char *)"abc", 20, bytes, &size);
    hex(bytes, 10);
    printf("%d\n", size);
  }
  drawn(asn1_strerror) puts(asn1_strerror(ASN1_VALUE_NOT_FOUND));
  drawn(asn1_expand_any_defined_by) {
    asn1_node node = element("TEST.Any");
    asn1_der_decoding(&node, any, sizeof any, message);
    printf("%d\n", asn1_expand_any_defined_by(definitions, &node));
    read_value(node, "value.number");
  }
  drawn(asn1_get_length_ber) {
    printf("%ld\n", asn1_get_length_ber(octets, 4, &used));
    printf("%d\n", used);
  }
  drawn(asn1_object_id_der) {
    memset(bytes, 0, 10);
    size = 10;
    printf("%d\n", asn1_object_id_der("1.2.3", bytes, &size, 0));
    hex(bytes, 10);
    printf("%d\n", size);
  }
  drawn(asn1_expand_octet_string) {
    asn1_node node = element("TEST.Pair");
    asn1_der_decoding(&node, pair, sizeof pair, message);
    printf("%d\n", asn1_expand_octet_string(definitions, &node, "octets", "id"));
    read_value(node, "octets.number");
  }
  drawn(asn1_encode_simple_der) {
    unsigned length = 10;
    memset(bytes, 0, 10);
    printf("%d\n", asn1_encode_simple_der(ASN1_ETYPE_OCTET_STRING, (const unsigned char *)"abc", 3, bytes, &length));
    hex(bytes, 10);
    printf("%u\n", length);
  }
  drawn(asn1_der_decoding) {
    asn1_node node = element("TEST.Pair");
    printf("%d\n", asn1_der_decoding(&node, pair, sizeof pair, message));
    read_value(node, "id");
  }
  drawn(asn1_delete_structure) {
    asn1_node node = element("TEST.Pair");
    printf("%d\n", asn1_delete_structure(&node));
    printf("%d\n", asn1_delete_structure(&node));
  }
  drawn(asn1_der_decoding2) {
    asn1_node node = element("TEST.Pair");
    size = sizeof pair;
    printf("%d\n", asn1_der_decoding2(&node, pair, &size, ASN1_DECODE_FLAG_ALLOW_PADDING, message));
    read_value(node, "number");
  }
  drawn(asn1_read_tag) {
    int tag, class;
    printf("%d\n", asn1_read_tag(element("TEST.Pair"), "octets", &tag, &class));
    printf("%d %d\n", tag, class);
  }
}

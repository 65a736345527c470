// header: pcre2.h
// package: libpcre2-8
// flags: -DPCRE2_CODE_UNIT_WIDTH=8
#include <pcre2.h>
#include <stdio.h>
int main(void) {
  int error;
  PCRE2_SIZE offset;
  pcre2_code *code = pcre2_compile((PCRE2_SPTR)"(\\d+)-(\\d+)", PCRE2_ZERO_TERMINATED, PCRE2_CASELESS, &error, &offset, NULL);
  pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
  printf("%d\n", pcre2_match(code, (PCRE2_SPTR)"ab 12-345", PCRE2_ZERO_TERMINATED, 0, 0, data, NULL));
  PCRE2_SIZE length;
  pcre2_substring_length_bynumber(data, 2, &length);
  printf("%zu\n", length);
}

// header: zstd.h
// package: libzstd
#include <stdio.h>
#include <string.h>
#include <zstd.h>
int main(void) {
  char packed[200], text[41] = {0};
  size_t size = ZSTD_compress(packed, sizeof packed, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 40, 3);
  printf("%zu\n", size);
  printf("%zu\n", ZSTD_decompress(text, 40, packed, size));
  printf("%zu\n", strlen(text));
}

// header: lz4.h
// package: liblz4
#include <lz4.h>
#include <stdio.h>
int main(void) {
  char packed[100], text[36] = {0};
  int size = LZ4_compress_default("hello hello hello hello hello hello", packed, 35, 100);
  printf("%d\n", size);
  printf("%d\n", LZ4_decompress_safe(packed, text, size, 35));
  printf("%s\n", text);
}

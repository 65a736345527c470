// header: lzma.h
// package: liblzma
#include <lzma.h>
#include <stdio.h>
int main(void) {
  printf("%u\n%zu\n", lzma_crc32((const uint8_t *)"troupe", 6, 0), lzma_stream_buffer_bound(100));
  uint8_t packed[300];
  size_t size = 0;
  lzma_ret result = lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)"hello hello hello", 17, packed, &size, 300);
  puts(result == LZMA_OK ? "LZMA_OK" : "failed");
  printf("%zu\n", size);
}

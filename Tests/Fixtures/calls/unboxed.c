/* Functions of numbers and pointers. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
void *integers(int8_t a, int16_t b, int32_t c, int64_t d, uint8_t e, uint16_t f) {
  static char text[256];
  snprintf(text, sizeof text, "%d %d %d %lld %u %u", a, b, c, (long long)d, e, f);
  return text;
}
void *others(uint32_t a, double b, uint64_t c, float d, bool e) {
  static char text[256];
  snprintf(text, sizeof text, "%u %g %llu %g %d", a, b, (unsigned long long)c, d, e);
  return text;
}
void *apply(int64_t callback) { ((void (*)(void))callback)(); return "text"; }

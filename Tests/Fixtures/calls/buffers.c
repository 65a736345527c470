/* Functions with buffers and their lengths. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct point { double x; float y; };
unsigned long sum(unsigned long start, const void *bytes, unsigned count) {
  for (unsigned i = 0; i < count; i++) start += ((const uint8_t *)bytes)[i];
  return start;
}
double weigh(const double *values, const double *weights, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += values[i] * weights[i];
  return sum;
}
size_t length(const char *text) { return text ? strlen(text) : 99; }
const char *after(const char *text, int c) { return strchr(text, c); }
char *twice(const char *text) {
  char *result = calloc(2, strlen(text) + 1);
  return strcat(strcpy(result, text), text);
}
const char *invalid(void) { return "caf\xe9"; }
struct point move(struct point p, const char *direction, float by) {
  if (*direction == 'x') p.x += by; else p.y += by;
  return p;
}
int fill(uint8_t *bytes, size_t *count) {
  if (*count < 3) return -1;
  memset(bytes, 7, *count = 3);
  return 0;
}
void reverse(int32_t *numbers, size_t count) {
  for (size_t i = 0; i < count / 2; i++) {
    int32_t number = numbers[i];
    numbers[i] = numbers[count - 1 - i];
    numbers[count - 1 - i] = number;
  }
}
double split(double number, double *whole) { *whole = (double)(long)number; return number - *whole; }
int fail(const char *text) { errno = 2; return *text ? 1 : -1; }
float third(const float *three) { return three[2]; }
int six(int8_t a, const char *b, uint16_t c, const char *d, _Bool e, double f) {
  return a + (int)strlen(b) * 10 + c + (int)strlen(d) * 100 + e * 1000 + (int)f * 10000;
}
int call(int (*callback)(int), const char *text) { return callback((int)strlen(text)); }
const void *resolver(const char *text, const void *resolver) { return text ? resolver : NULL; }

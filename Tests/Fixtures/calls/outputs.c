/* Functions with outputs. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
typedef struct { double x, y; } point;
bool split(double x, double *fraction, int64_t *whole) { *whole = (int64_t)x; *fraction = x - *whole; return x < 0; }
void swap(int *a, point *b) { int c = *a; *a = (int)b->x; b->x = c; }
double dot(const double *a, const float *b, size_t n) { double d = 0; while (n-- > 0) d += a[n] * b[n]; return d; }
void negate(int16_t *values, uint8_t count) { for (int i = 0; i < count; i++) values[i] = (int16_t)-values[i]; }
void count_up(uint32_t *values, size_t n) { for (size_t i = 0; i < n; i++) values[i] = (uint32_t)i; }
int fill(unsigned char *data, size_t *length) {
  if (*length < 3) return -1;
  memcpy(data, "abc", 3); *length = 3; return 0;
}
void drop_zeros(int *values, size_t *n) {
  size_t kept = 0;
  for (size_t i = 0; i < *n; i++) if (values[i]) values[kept++] = values[i];
  *n = kept;
}
void squares(const int *values, int *squares, size_t n) { for (size_t i = 0; i < n; i++) squares[i] = values[i] * values[i]; }
void ranks(int *ranks, uint8_t *n, const int *values) { for (int i = 0; i < *n; i++) ranks[i] = values[i] > 0; *n -= 1; }
point center(const point corners[3]) {
  return (point){ (corners[0].x + corners[1].x + corners[2].x) / 3, (corners[0].y + corners[1].y + corners[2].y) / 3 };
}
int fails(int code, int result) { errno = code; return result; }
unsigned fails_unsigned(int code, unsigned result) { errno = code; return result; }
bool fails_bool(int code, bool result) { errno = code; return result; }
void *fails_pointer(int code, void *result) { errno = code; return result; }
double fails_double(int code, double result) { errno = code; return result; }
int errno_before(void) { int before = errno; errno = 5; return before; }

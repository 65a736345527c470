/* Functions that read and write arrays of numbers. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
typedef struct { int16_t number; double weight; } item;
enum color { red, green };

static int calls, released;

void count_up(double *values, size_t n) { calls++; for (size_t i = 0; i < n; i++) values[i] = (double)i; }
int take_calls(void) { int n = calls; calls = 0; return n; }
double sum(const double *values, size_t n) { calls++; double s = 0; while (n-- > 0) s += values[n]; return s; }
const void *address(const double *values, size_t n) { (void)n; return values; }
void negate(double *values, size_t n) { while (n-- > 0) values[n] = -values[n]; }
const double *same(const double *values, size_t n) { (void)n; return values; }
void release(void *pointer) { (void)pointer; released++; }
int take_released(void) { int n = released; released = 0; return n; }
double *result(int64_t claimed, int64_t *length) {
  static double values[] = {1, 2, 3};
  *length = claimed;
  return values;
}
void items(item *items, size_t n) { for (size_t i = 0; i < n; i++) items[i] = (item){ (int16_t)i, 0.5 * (double)i }; }
void colors(enum color *colors, size_t n) { for (size_t i = 0; i < n; i++) colors[i] = i % 2 ? green : red; }
const char *text(void) { return "0123456789"; }
const char **texts(size_t *length) {
  static const char *texts[4];
  for (int i = 0; i < 4; i++) texts[i] = text();
  *length = 4;
  return texts;
}
void first(double *values, size_t *n) { if (*n) values[0] = 7; *n = *n > 0; }

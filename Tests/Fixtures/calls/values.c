/* The C functions that the tests of values and calls call. The tests add the functions `echo_TYPE`, `sum_N`, `weigh_N` and `mix_N`. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uchar.h>
#include <wchar.h>
#include <string.h>
#include <sys/types.h>

bool echo_bool(bool x) { return x; }
float echo_float(float x) { return x; }
double echo_double(double x) { return x; }
void *echo_pointer(void *x) { return x; }
const char *echo_string(const char *x) { return x; }

bool is_not(bool x) { return !x; }
uint64_t bits_of_double(double x) { uint64_t bits; memcpy(&bits, &x, sizeof bits); return bits; }
uint32_t bits_of_float(float x) { uint32_t bits; memcpy(&bits, &x, sizeof bits); return bits; }
double double_of_bits(uint64_t bits) { double x; memcpy(&x, &bits, sizeof x); return x; }
float float_of_bits(uint32_t bits) { float x; memcpy(&x, &bits, sizeof x); return x; }
void store(int32_t *place, int32_t x) { *place = x; }
bool is_null(const void *x) { return x == NULL; }
const char *no_string(void) { return NULL; }
const char *not_utf8(void) { return "caf\xe9"; }
void *no_pointer(void) { return NULL; }
const void *first(const void *resolver, int x, const void *again) { return x && resolver == again ? resolver : NULL; }
size_t lengths(const char *a, const char *b, const char *c) { return strlen(a) * 10000 + strlen(b) * 100 + strlen(c); }
int eight_bits(int8_t a, uint8_t b, int8_t c, uint8_t d, int8_t e, uint8_t f, int8_t g, uint8_t h) {
  return a == -128 && b == 255 && c == 127 && d == 0 && e == -1 && f == 128 && g == 1 && h == 254;
}

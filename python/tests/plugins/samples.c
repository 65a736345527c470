/* Functions with every kind of parameter, for the tests of the package. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.samples", "Samples", "1.0.0")

static double area(double width, double height) { return width * height; }
static int8_t add_int8(int8_t a, int8_t b) { return (int8_t)(a + b); }
static uint64_t add_uint64(uint64_t a, uint64_t b) { return a + b; }
static int64_t add_int64(int64_t a, int64_t b) { return a + b; }
static float half(float x) { return x / 2; }
static bool is_odd(int32_t x) { return x % 2 != 0; }
static int32_t pause_for(int32_t milliseconds) { return usleep((useconds_t)milliseconds * 1000); }
static double sum(const double *values, size_t count) {
  double total = 0;
  for (size_t i = 0; i < count; i++) total += values[i];
  return total;
}
static double scaled(double x, const double *values, size_t count) { return x * sum(values, count); }
static uintptr_t address_of(const double *values, size_t count) { return count ? (uintptr_t)values : 0; }
static void negate(double *values, size_t count) {
  for (size_t i = 0; i < count; i++) values[i] = -values[i];
}
static uint32_t count_bytes(const void *bytes, size_t count) { return bytes ? (uint32_t)count : 0; }
static const char *shout(const char *text) {
  static _Thread_local char result[64];
  if (!text) return NULL;
  size_t i = 0;
  for (; text[i] && i < 63; i++) result[i] = text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i];
  result[i] = 0;
  return result;
}
static size_t length(const char *text) { return text ? strlen(text) : 99; }

struct point { double x, y; };
static struct point mirror(struct point p) { return (struct point){p.y, p.x}; }
static double norm(const struct point *p) { return hypot(p->x, p->y); }
static uintptr_t where(const struct point *p) { return (uintptr_t)p; }
static int32_t color(int32_t c) { return c == 5 ? 1 : c; }
static double split(double x, int32_t *whole) {
  double integer, rest = modf(x, &integer);
  *whole = (int32_t)integer;
  return rest;
}
static void swap(int32_t *a, int32_t *b) {
  int32_t c = *a;
  *a = *b;
  *b = c;
}
static int32_t root(int32_t x) {
  errno = EDOM;
  return x < 0 ? -1 : (int32_t)sqrt(x);
}
static double apply(double (*function)(double), double x) { return function(x); }
static int32_t for_each(int32_t count, int32_t (*visit)(int32_t index, void *context), void *context) {
  int32_t total = 0;
  for (int32_t i = 0; i < count; i++) total += visit(i, context);
  return total;
}

struct store { int32_t value; };
static int32_t open_stores;
static struct store *store_new(int32_t value) {
  if (value < 0) return NULL;
  struct store *store = malloc(sizeof *store);
  store->value = value;
  open_stores++;
  return store;
}
static int32_t store_value(struct store *store) { return store->value; }
static void store_free(struct store *store) {
  open_stores--;
  free(store);
}
static int32_t store_count(void) { return open_stores; }

static double _Complex conjugate(double _Complex z) { return ~z; }
static long double twice(long double x) { return 2 * x; }
static int32_t multiples(int32_t factor, int32_t *values, size_t count) {
  for (size_t i = 0; i < count; i++) values[i] = factor * (int32_t)i;
  return factor;
}
struct label { char name[8]; int16_t sizes[3]; };
static struct label grow(struct label label) {
  for (int i = 0; i < 3; i++) label.sizes[i]++;
  label.name[0] = 'L';
  return label;
}
union number { int64_t i; double d; };
static union number next_number(union number n) { return (union number){.i = n.i + 1}; }
static size_t write_bytes(void *bytes, size_t count) {
  memset(bytes, 'x', count);
  return count / 2;
}
static int32_t sum_further(int32_t count, ...) {
  va_list list;
  va_start(list, count);
  int32_t total = 0;
  for (int32_t i = 0; i < count; i++) total += va_arg(list, int32_t);
  va_end(list);
  return total;
}

#define FUNCTION(number, name_, signature_)                                                                           \
  {.struct_size = sizeof(troupe_factory), .uuid = "5a3b1e00-0000-4000-8000-0000000000" number, .name = #name_,        \
   .signature = signature_, .function = TROUPE_FUNCTION(name_)}
#define POINT "struct point { double x, y; }; "

static const troupe_factory factories[] = {
  FUNCTION("01", area, "double (double width, double height)"),
  FUNCTION("02", add_int8, "int8_t (int8_t a, int8_t b)"),
  FUNCTION("03", add_uint64, "uint64_t (uint64_t a, uint64_t b)"),
  FUNCTION("04", add_int64, "int64_t (int64_t a, int64_t b)"),
  FUNCTION("05", half, "float (float x)"),
  FUNCTION("06", is_odd, "bool (int32_t x)"),
  FUNCTION("07", pause_for, "int32_t (int32_t milliseconds)"),
  FUNCTION("08", sum, "double (const double values[count], size_t count)"),
  FUNCTION("09", scaled, "double (double x, const double values[count], size_t count)"),
  FUNCTION("0a", address_of, "uintptr_t (const double values[count], size_t count)"),
  FUNCTION("0b", negate, "void (double values[count], size_t count)"),
  FUNCTION("0c", count_bytes, "uint32_t (const void bytes[count], size_t count)"),
  FUNCTION("0d", shout, "string (string text)"),
  FUNCTION("0e", length, "size_t (string text)"),
  FUNCTION("0f", mirror, POINT "struct point (struct point p)"),
  FUNCTION("10", norm, POINT "double (const struct point *p)"),
  FUNCTION("11", where, POINT "uintptr_t (const struct point *p)"),
  FUNCTION("12", color, "enum color { RED, GREEN, BLUE = 5 }; enum color (enum color c)"),
  FUNCTION("13", split, "double (double x, out int32_t *whole)"),
  FUNCTION("14", swap, "void (inout int32_t *a, inout int32_t *b)"),
  FUNCTION("15", root, "int32_t (int32_t x) errno"),
  FUNCTION("16", apply, "double (double (*function)(double x), double x)"),
  FUNCTION("17", for_each, "int32_t (int32_t count, int32_t (*visit)(int32_t index, void *context), void *context)"),
  FUNCTION("18", store_new, "struct store; owned(store_free_of_samples) struct store *(int32_t value) error(null)"),
  FUNCTION("19", store_value, "struct store; int32_t (struct store *store)"),
  FUNCTION("1a", store_count, "int32_t (void)"),
  FUNCTION("1b", conjugate, "double _Complex (double _Complex z)"),
  FUNCTION("1c", twice, "long double (long double x)"),
  FUNCTION("1d", multiples, "int32_t (int32_t factor, out int32_t values[count], size_t count)"),
  FUNCTION("1e", grow, "struct label { char name[8]; int16_t sizes[3]; }; struct label (struct label label)"),
  FUNCTION("1f", next_number, "union number { int64_t i; double d; }; union number (union number n)"),
  FUNCTION("20", write_bytes, "size_t (out void bytes[result], size_t count)"),
  FUNCTION("21", sum_further, "int32_t (int32_t count, ...)"),
};

TROUPE_EXPORT void store_free_of_samples(struct store *store) { store_free(store); }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  for (size_t i = 0; i < sizeof factories / sizeof *factories; i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

/* Functions with each kind of parameter and result. */
#include <complex.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.values", "Values", "1.2.3")

static double area(double width, double height) { return width * height; }
static int8_t small(int8_t x) { return x; }
static uint16_t half(uint16_t x) { return x; }
static uint32_t word(uint32_t x) { return x; }
static uint64_t large(uint64_t x) { return x; }
static int64_t negative(int64_t x) { return -x; }
static float single(float x) { return x / 2; }
static bool both(bool a, bool b) { return a && b; }
static void nothing(void) {}
static int64_t nine(int a, int b, int c, int d, int e, int f, int g, int h, int i) { return a + b + c + d + e + f + g + h + i; }
static double mixed(int a, double b, int c, double d, int e, double f) { return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f; }
static int64_t eight(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g, int64_t h) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}
static void *same(void *address) { return address; }
static const char *greeting(const char *name) { return name ? name : "nobody"; }
static const char *no_text(void) { return NULL; }
static const char *bad_text(void) { return "\xff"; }
static char *copy(const char *text) { return text ? strdup(text) : NULL; }
static long double longer(long double x) { return x * 2; }
static double complex turned(double complex x) { return x * I; }

enum color { red, green = 5, blue };
static enum color next_color(enum color color) { return color == red ? green : blue; }

struct point {
  double x, y;
};
static struct point scaled(struct point point, double factor) { return (struct point){point.x * factor, point.y * factor}; }
static double norm(const struct point *point) { return point->x * point->x + point->y * point->y; }
static uintptr_t address_of(const struct point *point) { return (uintptr_t)point; }

static double sum(const double *values, size_t count) {
  double total = 0;
  for (size_t i = 0; i < count; i++) total += values[i];
  return total;
}
static uintptr_t begin(const double *values, size_t count) { return count ? (uintptr_t)values : 1; }
static void twice(double *values, size_t count) {
  for (size_t i = 0; i < count; i++) values[i] *= 2;
}
static void squares(int32_t *values, size_t count) {
  for (size_t i = 0; i < count; i++) values[i] = (int32_t)(i * i);
}
static void points(struct point *values, size_t count) {
  for (size_t i = 0; i < count; i++) values[i] = (struct point){(double)i, -(double)i};
}
static uint8_t checksum(const void *bytes, size_t count) {
  uint8_t total = 0;
  for (size_t i = 0; i < count; i++) total += ((const uint8_t *)bytes)[i];
  return total;
}
static int split(double number, int64_t *whole, double *rest, const char **sign) {
  *whole = (int64_t)number;
  *rest = number - (double)*whole;
  *sign = number < 0 ? "minus" : "plus";
  return 7;
}
static int fail_with(int code) {
  errno = code;
  return code ? -1 : 1;
}

static void visit(int count, void (*visitor)(int number)) { for (int i = 0; i < count; i++) visitor(i); }
static int64_t each(int count, int (*body)(int number)) {
  int64_t total = 0;
  for (int i = 0; i < count; i++) total += body(i);
  return total;
}
static double with_values(const double *values, size_t count, double (*body)(const double *values, size_t count)) {
  return body(values, count);
}

struct counter {
  int number;
};
static int alive;
static struct counter *counter_new(int start) {
  struct counter *counter = start < 0 ? NULL : malloc(sizeof *counter);
  if (counter) counter->number = start, alive++;
  return counter;
}
static int count(struct counter *counter) { return ++counter->number; }
TROUPE_EXPORT void counter_free(struct counter *counter) {
  alive--;
  free(counter);
}
static int alive_counters(void) { return alive; }
static int end_counter(struct counter *counter) {
  int number = counter->number;
  counter_free(counter);
  return number;
}

static struct point origin = {3, 4};
static const struct point *origin_point(void) { return &origin; }
struct node {
  unsigned value;
  const char *name;
  struct node *next;
};
TROUPE_EXPORT void node_free(struct node *node) { free(node); }
static struct node *node_new(struct node *next, unsigned value) {
  struct node *node = calloc(1, sizeof *node);
  node->value = value;
  node->next = next;
  return node;
}
static unsigned node_sum(const struct node *node) {
  unsigned sum = 0;
  for (; node; node = node->next) sum += node->value;
  return sum;
}
static int fill(int *numbers, int count, int value) {
  for (int i = 0; i < count; i++) numbers[i] = value;
  return count;
}
static int (*kept)(int number);
static void keep(int (*body)(int number)) { kept = body; }
static int call_kept(int number) { return kept(number); }

/* Several hosts may run the entry at once. */
static _Thread_local const troupe_registrar *registrar;
static _Thread_local troupe_status status = TROUPE_OK;
static _Thread_local int number;

static void add(const char *name, const char *signature, troupe_function function) {
  static const char digits[] = "0123456789abcdef";
  char uuid[] = "7a1e5000-0000-4000-8000-000000000000";
  static const char *const tags[] = {"values", "numbers"};
  static const troupe_metadata metadata[] = {{"unit", "m2"}};
  uuid[34] = digits[number / 16];
  uuid[35] = digits[number % 16];
  number++;
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = uuid, .name = name, .signature = signature, .function = function, .tags = tags,
    .tag_count = 2, .metadata = metadata, .metadata_count = 1};
  if (status == TROUPE_OK) status = registrar->register_factory(registrar, &factory);
}
#define ADD(name, signature) add(#name, signature, TROUPE_FUNCTION(name))
#define POINT "struct point { double x, y; }; "
#define COUNTER "struct counter; "
#define NODE "struct node { unsigned value; const char *name; struct node *next; }; "

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *given) {
  registrar = given;
  status = TROUPE_OK;
  number = 0;
  ADD(area, "double (double width, double height)");
  ADD(small, "int8_t (int8_t x)");
  ADD(half, "uint16_t (uint16_t x)");
  ADD(word, "uint32_t (uint32_t x)");
  ADD(large, "uint64_t (uint64_t x)");
  ADD(negative, "int64_t (int64_t x)");
  ADD(single, "float (float x)");
  ADD(both, "bool (bool a, bool b)");
  ADD(nothing, "void (void)");
  ADD(nine, "int64_t (int a, int b, int c, int d, int e, int f, int g, int h, int i)");
  ADD(mixed, "double (int a, double b, int c, double d, int e, double f)");
  ADD(eight, "int64_t (int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g, int64_t h)");
  ADD(same, "void *(void *address)");
  ADD(greeting, "const char *(const char *name)");
  ADD(no_text, "const char *(void)");
  ADD(bad_text, "const char *(void)");
  ADD(copy, "owned(free) char *(const char *text)");
#if defined(__x86_64__)
  ADD(longer, "long double (long double x)");
#endif
  ADD(turned, "double _Complex (double _Complex x)");
  ADD(next_color, "enum color { red, green = 5, blue } (enum color color)");
  ADD(scaled, POINT "struct point (struct point point, double factor)");
  ADD(norm, POINT "double (const struct point *point)");
  ADD(address_of, POINT "uintptr_t (const struct point *point)");
  ADD(sum, "double (const double values[count], size_t count)");
  ADD(begin, "uintptr_t (const double values[count], size_t count)");
  ADD(twice, "void (double values[count], size_t count)");
  ADD(squares, "void (out int32_t values[count], size_t count)");
  ADD(points, POINT "void (out struct point values[count], size_t count)");
  ADD(checksum, "uint8_t (const void bytes[count], size_t count)");
  ADD(split, "int (double number, out int64_t *whole, out double *rest, out const char **sign)");
  ADD(fail_with, "int (int code) errno");
  ADD(each, "int64_t (int count, int (*body)(int number))");
  ADD(visit, "void (int count, void (*visitor)(int number))");
  ADD(with_values, "double (const double values[count], size_t count, double (*body)(const double values[count], size_t count))");
  ADD(counter_new, COUNTER "owned(counter_free) struct counter *(int start)");
  ADD(count, COUNTER "int (struct counter *_Nonnull counter)");
  ADD(alive_counters, "int (void)");
  ADD(end_counter, COUNTER "int (consumed struct counter *counter)");
  ADD(origin_point, POINT "const struct point *(void)");
  ADD(node_new, NODE "owned(node_free) borrows(next) struct node *(struct node *next, unsigned value)");
  ADD(node_sum, NODE "unsigned (const struct node *node)");
  ADD(fill, "int (int *numbers, int count, int value)");
  ADD(keep, "void (int (*body)(int number))");
  ADD(call_kept, "int (int number)");
  return status;
}

/* Functions whose signatures use the marks and definitions of the header's comment. */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.signature-marks", "Signature marks", "1.0.0")

#define POINT TROUPE_STRUCT(point, double x, double y)
#define HEADER TROUPE_PACKED_STRUCT(header, uint8_t kind, uint32_t size, double weight)
#define NUMBER TROUPE_UNION(number, int64_t integer, double real)
#define COLOR TROUPE_ENUM(color, RED, GREEN = 4)
TROUPE_DEFINE(POINT);
TROUPE_DEFINE(HEADER);
TROUPE_DEFINE(NUMBER);
TROUPE_DEFINE(COLOR);

static double norm(struct point p) { return p.x * p.x + p.y * p.y; }
static struct header grow(struct header header, uint32_t by) {
  return (struct header){header.kind, header.size + by, header.weight * 2};
}
static union number negate(union number number) { return (union number){.real = -number.real}; }
static enum color next(enum color color) { return color == RED ? GREEN : RED; }
static int halve(double number, double *result) { *result = number / 2; return 1; }
static void lengthen(size_t *length) { *length += 10; }
static double last(const double *xy, size_t count) { return count == 0 ? 0 : xy[count - 1]; }
static void spell(int number, char text[80]) { snprintf(text, 80, "number %d", number); }
static char *duplicate(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  return copy == NULL ? NULL : strcpy(copy, text);
}
static void duplicate_to(const char *text, char **copy) { *copy = duplicate(text); }
static int is_null(FILE *file) { return file == NULL; }
static int print(const char *format, ...) {
  va_list list;
  va_start(list, format);
  int count = vsnprintf(NULL, 0, format, list);
  va_end(list);
  return count;
}
static uint8_t *bytes(size_t *count) {
  static uint8_t bytes[] = {1, 2, 3};
  *count = sizeof bytes;
  return bytes;
}
static int fail(int code) {
  errno = code;
  return code == 0 ? 0 : -1;
}
static int sort(int *numbers, size_t count, int (*compare)(const void *, const void *)) {
  qsort(numbers, count, sizeof *numbers, compare);
  return numbers[0];
}
static int descending(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }

#define FACTORY(digits, ...) TROUPE_FACTORY("51c7a701-0000-4000-8000-0000000000" #digits, __VA_ARGS__)
static const troupe_factory factories[] = {
  FACTORY(00, "norm", TROUPE_NO_TAGS, double, norm, (struct point p), POINT),
  FACTORY(01, "grow", TROUPE_NO_TAGS, struct header, grow, (struct header header, uint32_t by), HEADER),
  FACTORY(02, "negate", TROUPE_NO_TAGS, union number, negate, (union number number), NUMBER),
  FACTORY(03, "next", TROUPE_NO_TAGS, enum color, next, (enum color color), COLOR),
  FACTORY(04, "halve", TROUPE_NO_TAGS, int, halve, (double number, TROUPE_OUT(double *result))),
  FACTORY(05, "lengthen", TROUPE_NO_TAGS, void, lengthen, (TROUPE_INOUT(size_t *length))),
  FACTORY(06, "last", TROUPE_NO_TAGS, double, last, (TROUPE_BUFFER(const double, xy, count), size_t count)),
  FACTORY(07, "spell", TROUPE_NO_TAGS, void, spell, (int number, TROUPE_OUT(TROUPE_BUFFER(char, text, 80)))),
  FACTORY(08, "duplicate", TROUPE_NO_TAGS, TROUPE_OWNED(free, char *), duplicate, (const char *text)),
  FACTORY(09, "duplicate_to", TROUPE_NO_TAGS, void, duplicate_to,
          (const char *text, TROUPE_OUT(TROUPE_OWNED(free, char **copy)))),
  FACTORY(10, "is_null", TROUPE_NO_TAGS, int, is_null, (TROUPE_POINTER(FILE, file))),
  FACTORY(11, "print", TROUPE_NO_TAGS, int, print, (const char *format, TROUPE_VARIADIC)),
  FACTORY(12, "print_two", TROUPE_NO_TAGS, int, print, (const char *format, TROUPE_VARIADIC_OF(int, double))),
  FACTORY(13, "bytes", TROUPE_NO_TAGS, TROUPE_RESULT_BUFFER(uint8_t, count), bytes, (TROUPE_OUT(size_t *count))),
  FACTORY(14, "fail", TROUPE_NO_TAGS, TROUPE_ERRNO(int), fail, (int code)),
  FACTORY(15, "fail_any", TROUPE_NO_TAGS, TROUPE_ERRNO_ANY(int), fail, (int code)),
  FACTORY(16, "sort", TROUPE_NO_TAGS, int, sort,
          (TROUPE_BUFFER(int, numbers, count), size_t count, int (*compare)(const void *, const void *))),
  FACTORY(17, "descending", TROUPE_NO_TAGS, int, descending, (const void *a, const void *b)),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  for (size_t i = 0; i < sizeof factories / sizeof *factories; i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

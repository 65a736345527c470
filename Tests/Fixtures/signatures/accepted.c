/* Every macro that makes a signature, with the text that it makes; prints what differs, or with an argument
 * the texts. Valid as C and as C++. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <wchar.h>

#include <troupe.h>

#define POINT TROUPE_STRUCT(point, double x, double y)
#define LINE TROUPE_STRUCT(line, struct point from, struct point to, const char *name, uint8_t color[4])
#define HEADER TROUPE_PACKED_STRUCT(header, uint8_t kind, uint32_t size)
#define NUMBER TROUPE_UNION(number, int64_t integer, double real)
#define COLOR TROUPE_ENUM(color, RED, GREEN = 4, BLUE)
TROUPE_DEFINE(POINT);
TROUPE_DEFINE(LINE);
TROUPE_DEFINE(HEADER);
TROUPE_DEFINE(NUMBER);
TROUPE_DEFINE(COLOR);
struct store;
typedef size_t my_size;
typedef struct store my_store;

/* Most functions are declared only; a signature does not need them to be there. */
#define FUNCTION extern "C"
#if !defined(__cplusplus)
#undef FUNCTION
#define FUNCTION extern
#endif
static double area(double width, double height) { return width * height; }
static double norm(struct point p) { return p.x * p.x + p.y * p.y; }
FUNCTION void nothing(void);
FUNCTION const char *name_of(unsigned long long id, const char *const *names, my_size count);
FUNCTION long double widest(bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                            float, double, long double);
FUNCTION ssize_t fixed(int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t);
FUNCTION wchar_t sizes(size_t, ssize_t, ptrdiff_t, intptr_t, uintptr_t, intmax_t, uintmax_t, wchar_t, wint_t);
FUNCTION int many(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
                  int, int, int, int, int);
FUNCTION void sort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
FUNCTION struct line shift(struct line line, const struct point *by, enum color color, union number number,
                           struct header header);
FUNCTION int divide(int a, int b, int *quotient, int *remainder);
FUNCTION int compress_bytes(uint8_t *data, size_t *length, const void *input, size_t count);
FUNCTION double polygon_area(const double *xy, size_t count);
FUNCTION void describe(int number, char text[80], char **more);
FUNCTION char *duplicate(const char *text);
FUNCTION uint8_t *encode(const char *text, size_t *count);
FUNCTION int keep(my_store *store, const FILE *file, const troupe_resolver *resolver);
FUNCTION int take(char *text);
FUNCTION int print(const char *format, ...);
static void *open_store(int size) { return malloc((size_t)size); }

static void area_map(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data) {
  (void)data;
  for (intptr_t row = 0; row < dimensions[0]; row++)
    *(double *)(args[2] + row * steps[2]) = area(*(double *)(args[0] + row * steps[0]), *(double *)(args[1] + row * steps[1]));
}

static const char *const tags[] = {"one", "two"};
static const char *changeable_tags[] = {"one"};
static const troupe_metadata metadata[] = {{"unit", "m"}, {"digits", "3"}};
static const int table = 0;
static const troupe_factory factories[] = {
  TROUPE_FACTORY("2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10", "tagged", tags, double, area, (double width, double height)),
  TROUPE_FACTORY("2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a11", "plain", TROUPE_NO_TAGS,
                 double, norm, (struct point p), POINT),
  TROUPE_FACTORY_WITH(metadata, "2F0C1C9E-8A53-4D6E-9A4D-0D6C3F6C7A12", "described", tags,
                      double, area, (double width, double height)),
  TROUPE_CONTRACT_FACTORY("2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a13", "made", changeable_tags, "org.example.store/1", &table,
                          free, void *, open_store, (int size)),
  TROUPE_CONTRACT_FACTORY_WITH(TROUPE_SINGLETON, metadata, "2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a14", "shared",
                               TROUPE_NO_TAGS, "org.example.store/1", NULL, NULL, void *, open_store, (int size)),
  TROUPE_MAP_FACTORY("2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a15", "mapped", tags, area_map, double, area,
                     (double width, double height)),
  TROUPE_MAP_FACTORY_WITH(metadata, "2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a16", "described", TROUPE_NO_TAGS, area_map,
                          double, area, (double width, double height)),
};

/* Some compilers have bool as a keyword, others as a macro. */
#define BOOL TROUPE_STRINGIFY(bool)

static const struct {
  const char *text, *expected;
} signatures[] = {
  {TROUPE_SIGNATURE(double, area, (double width, double height)), "double (double width, double height)"},
  {TROUPE_SIGNATURE(double, area, (double, double)), "double (double, double)"},
  {TROUPE_SIGNATURE(void, nothing, (void)), "void (void)"},
  {TROUPE_SIGNATURE(const char *, name_of, (unsigned long long id, const char *const *names, size_t count)),
   "const char * (unsigned long long id, const char *const *names, size_t count)"},
  {TROUPE_SIGNATURE(const char *, name_of, (long unsigned long id, char const *const *names, size_t count)),
   "const char * (long unsigned long id, char const *const *names, size_t count)"},
  {TROUPE_SIGNATURE(long double, widest, (bool, char, signed char, unsigned char, short, unsigned short, int,
                    unsigned, long, float, double, long double)),
   "long double (" BOOL ", char, signed char, unsigned char, short, unsigned short, int, unsigned, long, float, "
   "double, long double)"},
  {TROUPE_SIGNATURE(ssize_t, fixed, (int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t)),
   "ssize_t (int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t)"},
  {TROUPE_SIGNATURE(wchar_t, sizes, (size_t, ssize_t, ptrdiff_t, intptr_t, uintptr_t, intmax_t, uintmax_t, wchar_t,
                    wint_t)),
   "wchar_t (size_t, ssize_t, ptrdiff_t, intptr_t, uintptr_t, intmax_t, uintmax_t, wchar_t, wint_t)"},
  {TROUPE_SIGNATURE(int, many, (int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
                    int, int, int, int, int, int, int, int)),
   "int (int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, "
   "int, int, int)"},
  {TROUPE_SIGNATURE(void, sort, (void *base, size_t count, size_t size, int (*compare)(const void *, const void *))),
   "void (void *base, size_t count, size_t size, int (*compare)(const void *, const void *))"},
  {TROUPE_SIGNATURE(double, norm, (struct point p), POINT),
   "struct point { double x; double y; }; double (struct point p)"},
  {TROUPE_SIGNATURE(struct line, shift,
                    (struct line line, const struct point *by, enum color color, union number number,
                    struct header header),
                    POINT, LINE, COLOR, NUMBER, HEADER),
   "struct point { double x; double y; }; "
   "struct line { struct point from; struct point to; const char *name; uint8_t color[4]; }; "
   "enum color { RED, GREEN = 4, BLUE }; union number { int64_t integer; double real; }; "
   "struct header { uint8_t kind; uint32_t size; } packed; "
   "struct line (struct line line, const struct point *by, enum color color, union number number, "
   "struct header header)"},
  {TROUPE_SIGNATURE(TROUPE_ERRNO(int), divide, (int a, int b, TROUPE_OUT(int *quotient), TROUPE_OUT(int *remainder))),
   "int (int a, int b, out int *quotient, out int *remainder) errno"},
  {TROUPE_SIGNATURE(TROUPE_ERRNO_ANY(int), compress_bytes,
                    (TROUPE_OUT(TROUPE_BUFFER(uint8_t, data, length)), TROUPE_INOUT(size_t *length),
                     TROUPE_BUFFER(const void, input, count), size_t count)),
   "int (out uint8_t data[length], inout size_t *length, const void input[count], size_t count) errno(any)"},
  {TROUPE_SIGNATURE(double, polygon_area, (TROUPE_BUFFER(const double, xy, count), size_t count)),
   "double (const double xy[count], size_t count)"},
  {TROUPE_SIGNATURE(void, describe, (int number, TROUPE_OUT(TROUPE_BUFFER(char, text, 80)),
                    TROUPE_OUT(TROUPE_OWNED(free, char **more)))),
   "void (int number, out char text[80], out owned(free) char **more)"},
  {TROUPE_SIGNATURE(void, describe, (int number, TROUPE_OUT(char text[80]), TROUPE_OUT(TROUPE_OWNED(free,
                    char **more)))),
   "void (int number, out char text[80], out owned(free) char **more)"},
  {TROUPE_SIGNATURE(TROUPE_OWNED(free, char *), duplicate, (const char *text)),
                    "owned(free) char * (const char *text)"},
  {TROUPE_SIGNATURE(TROUPE_OWNED(free, TROUPE_RESULT_BUFFER(uint8_t, count)), encode, (const char *text,
                    TROUPE_OUT(size_t *count))),
   "owned(free) uint8_t[count] (const char *text, out size_t *count)"},
  {TROUPE_SIGNATURE(TROUPE_ERRNO(TROUPE_OWNED(free, char *)), duplicate, (const char *text)),
   "owned(free) char * (const char *text) errno"},
  {TROUPE_SIGNATURE(TROUPE_OWNED(free, TROUPE_ERRNO(char *)), duplicate, (const char *text)),
   "owned(free) char * (const char *text) errno"},
  {TROUPE_SIGNATURE(int, keep, (TROUPE_POINTER(my_store, store), TROUPE_POINTER(const FILE, file), TROUPE_RESOLVER)),
   "int (pointer store, pointer file, resolver)"},
  {TROUPE_SIGNATURE(int, keep, (struct store *store, TROUPE_POINTER(const FILE, ), TROUPE_RESOLVER)),
   "int (struct store *store, pointer , resolver)"},
  {TROUPE_SIGNATURE(int, take, (TROUPE_OWNED(free, char *text))), "int (owned(free) char *text)"},
  {TROUPE_SIGNATURE(int, print, (const char *format, TROUPE_VARIADIC)), "int (const char *format, ...)"},
  {TROUPE_SIGNATURE(int, print, (const char *format, TROUPE_VARIADIC_OF(int width, double))),
   "int (const char *format, ..., int width, double)"},
  {factories[0].signature, "double (double width, double height)"},
  {factories[1].signature, "struct point { double x; double y; }; double (struct point p)"},
  {factories[2].signature, "double (double width, double height)"},
  {factories[3].signature, "void * (int size)"},
};

int main(int argc, char **argv) {
  (void)argv;
  int faults = 0;
  if (argc > 1) {
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) puts(signatures[i].text);
    return 0;
  }
  for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
    if (strcmp(signatures[i].text, signatures[i].expected) == 0) continue;
    fprintf(stderr, "the text is      %s\nand not          %s\n", signatures[i].text, signatures[i].expected);
    faults++;
  }
  if (factories[0].tag_count != 2 || factories[0].tags != tags || factories[0].lifetime != TROUPE_TRANSIENT ||
      factories[0].struct_size != sizeof(troupe_factory) || strcmp(factories[0].name, "tagged") != 0 ||
      factories[1].tag_count != 0 || factories[1].tags != NULL || factories[1].metadata != NULL ||
      factories[2].metadata != metadata || factories[2].metadata_count != 2 || factories[2].tags != tags) {
    fprintf(stderr, "a factory differs from the arguments of TROUPE_FACTORY\n");
    faults++;
  }
  if (factories[3].contract == NULL || factories[3].vtable != &table || factories[3].destroy != free ||
      factories[3].tags != changeable_tags || factories[3].tag_count != 1 || factories[3].lifetime != TROUPE_TRANSIENT ||
      factories[4].lifetime != TROUPE_SINGLETON || factories[4].metadata_count != 2 || factories[4].vtable != NULL ||
      factories[4].destroy != NULL || factories[4].tag_count != 0 || factories[4].function == NULL) {
    fprintf(stderr, "a factory differs from the arguments of TROUPE_CONTRACT_FACTORY\n");
    faults++;
  }
  if (factories[0].map != NULL || factories[3].map != NULL || factories[5].map != area_map || factories[5].tag_count != 2 ||
      strcmp(factories[5].signature, factories[0].signature) != 0 || factories[6].map != area_map ||
      factories[6].metadata != metadata || factories[6].tags != NULL) {
    fprintf(stderr, "a factory differs from the arguments of TROUPE_MAP_FACTORY\n");
    faults++;
  }
  return faults > 0;
}

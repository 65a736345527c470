/* A plugin whose functions return their arguments: one function for every type that a signature can name, and a few more. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <troupe.h>

TROUPE_PLUGIN("org.example.echo", "Echo", "1.0.0")
typedef const char *string;
typedef void *pointer;

/* Every type that a signature can name, with an index. */
#define TYPES(X) \
  X(0, bool) X(1, float) X(2, double) X(3, string) X(4, pointer) X(5, char) X(6, signed char) X(7, unsigned char) X(8, short) \
  X(9, unsigned short) X(10, int) X(11, unsigned int) X(12, long) X(13, unsigned long) X(14, long long) \
  X(15, unsigned long long) X(16, int8_t) X(17, int16_t) X(18, int32_t) X(19, int64_t) X(20, uint8_t) X(21, uint16_t) \
  X(22, uint32_t) X(23, uint64_t) X(24, size_t) X(25, ssize_t) X(26, ptrdiff_t) X(27, intptr_t) X(28, uintptr_t) \
  X(29, intmax_t) X(30, uintmax_t)

#define ECHO(index, type) static type echo_##index(type x) { return x; }
TYPES(ECHO)

static void nothing(void) {}
static int fortytwo(void) { return 42; }
static const char *null_text(void) { return NULL; }
static void *address(void) { return (void *)(uintptr_t)0x7f01; }
static const char *invalid(void) { return "\xff"; }
static const char *lines(void) { return "a\nb\t\"c\""; }
static const char *mixed(int8_t a, uint8_t b, int16_t c, float d, uint16_t e, double f, int32_t g, uint32_t h, int64_t i,
                         uint64_t j, bool k, const char *l, float m) {
  static char text[256];
  snprintf(text, sizeof text, "%d %u %d %.3f %u %.3f %d %u %lld %llu %d %s %.3f", a, b, c, d, e, f, g, h, (long long)i,
           (unsigned long long)j, k, l, m);
  return text;
}
enum color { RED, GREEN = 5 };
struct shape { enum color color; double sides[2]; struct { const char *name; void *next; bool open; } tag; };
static struct shape shape(struct shape x) { return x; }
static enum color color(enum color x, enum color *other) { *other = GREEN; return x; }
static void fill(unsigned char *bytes, int count) { for (int i = 0; i < count; i++) bytes[i] = (unsigned char)(250 + i); }
static int sum(const unsigned char *bytes, int count) { int sum = 0; for (int i = 0; i < count; i++) sum += bytes[i]; return sum; }
static int fail(int code) { if (code == 0) return 0; errno = code; return -1; }
static int apply(int (*function)(int a, int b), int a, int b) { return function ? function(a, b) : -99; }
static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int add_long(int a, long b) { return a + (int)b; }
struct operation { int (*function)(int, int); int a; };
static int perform(struct operation operation) { return operation.function(operation.a, 1); }

static const struct { const char *name, *signature; troupe_function function; } functions[] = {
#define ENTRY(index, type) {#type, #type " (" #type " x)", TROUPE_FUNCTION(echo_##index)},
  TYPES(ENTRY)
  {"shape", "enum color { RED, GREEN = 5 }; struct shape { enum color color; double sides[2]; struct { string name; void *next; "
            "bool open; } tag; }; struct shape (struct shape x)", TROUPE_FUNCTION(shape)},
  {"color", "enum color { RED, GREEN = 5 }; enum color (enum color x, out enum color *other)", TROUPE_FUNCTION(color)},
  {"fill", "void (out void bytes[count], int count)", TROUPE_FUNCTION(fill)},
  {"fail", "int (int code) errno", TROUPE_FUNCTION(fail)},
  {"apply", "int (int (*function)(int a, int b), int a, int b)", TROUPE_FUNCTION(apply)},
  {"plus", "int (int x, int y)", TROUPE_FUNCTION(plus)},
  {"minus", "int (int, int) errno", TROUPE_FUNCTION(minus)},
  {"add_long", "int (int a, long b)", TROUPE_FUNCTION(add_long)},
  {"perform", "int (struct { int (*function)(int, int); int a; } operation)", TROUPE_FUNCTION(perform)},
  {"nothing", "void ()", TROUPE_FUNCTION(nothing)},
  {"fortytwo", "int (void)", TROUPE_FUNCTION(fortytwo)},
  {"null_text", "const char * ()", TROUPE_FUNCTION(null_text)},
  {"address", "void * ()", TROUPE_FUNCTION(address)},
  {"invalid", "string ()", TROUPE_FUNCTION(invalid)},
  {"lines", "string ()", TROUPE_FUNCTION(lines)},
  {"mixed", "string (int8_t a, uint8_t b, int16_t c, float d, uint16_t e, double f, int32_t g, uint32_t h, int64_t i, "
            "uint64_t j, bool k, string l, float m)", TROUPE_FUNCTION(mixed)},
  {"sum", "int (const unsigned char bytes[count], int count)", TROUPE_FUNCTION(sum)},
  {"sum_bytes", "int (const unsigned char *bytes, int count)", TROUPE_FUNCTION(sum)},
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
    char uuid[37];
    snprintf(uuid, sizeof uuid, "0b0e7c70-6f0a-4e53-9a51-5e2e6a3e%04x", i);
    troupe_factory factory = {.struct_size = sizeof factory, .uuid = uuid};
    factory.name = functions[i].name;
    factory.signature = functions[i].signature;
    factory.function = functions[i].function;
    troupe_status status = registrar->register_factory(registrar, &factory);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

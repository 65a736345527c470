/* A function for each C scalar type that returns its argument, and a few functions with several parameters. */
#include <uchar.h>
#include <wchar.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.scalars", "Scalars", "1.0.0")

/* The types of one word, then those of several words with the names of their functions. */
#define TYPES(X)                                                                                                      \
  X(bool, bool) X(float, float) X(double, double) X(char, char) X(short, short) X(int, int) X(long, long)             \
  X(int8_t, int8_t) X(int16_t, int16_t) X(int32_t, int32_t) X(int64_t, int64_t)                                       \
  X(uint8_t, uint8_t) X(uint16_t, uint16_t) X(uint32_t, uint32_t) X(uint64_t, uint64_t)                               \
  X(size_t, size_t) X(ssize_t, ssize_t) X(ptrdiff_t, ptrdiff_t) X(intptr_t, intptr_t) X(uintptr_t, uintptr_t)         \
  X(intmax_t, intmax_t) X(uintmax_t, uintmax_t) X(wchar_t, wchar_t) X(wint_t, wint_t) X(char16_t, char16_t)           \
  X(char32_t, char32_t)                                                                                               \
  X(signed char, signed_char) X(unsigned char, unsigned_char) X(unsigned short, unsigned_short)                       \
  X(unsigned int, unsigned_int) X(unsigned long, unsigned_long) X(long long, long_long)                               \
  X(unsigned long long, unsigned_long_long) X(const char *, string) X(void *, pointer)

#define DEFINE(type, name) static type echo_##name(type x) { return x; }
TYPES(DEFINE)

static double area(double width, double height) { return width * height; }
static const char *nothing(void) { return NULL; }
static void forget(int32_t x) { (void)x; }
static const char *not_utf8(void) { return "caf\xe9"; }
static size_t length(const char *text) { return text == NULL ? 0 : strlen(text); }

static troupe_status add(
    const troupe_registrar *registrar, int number, const char *name, const char *signature, troupe_function function) {
  static const char *const tags[] = {"scalar"};
  char uuid[37];
  snprintf(uuid, sizeof uuid, "5ca1a500-0000-4000-8000-%012d", number);
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = uuid, .name = name, .signature = signature, .function = function, .tags = tags, .tag_count = 1};
  return registrar->register_factory(registrar, &factory);
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  int number = 0;
  troupe_status status = TROUPE_OK;
#define REGISTER(type, name) \
  if (status == TROUPE_OK) status = add(registrar, number++, #type, #type " (" #type ")", TROUPE_FUNCTION(echo_##name));
  TYPES(REGISTER)
  if (status == TROUPE_OK) status = add(registrar, 100, "area", "double (double width, double height)", TROUPE_FUNCTION(area));
  if (status == TROUPE_OK) status = add(registrar, 101, "nothing", "string ()", TROUPE_FUNCTION(nothing));
  if (status == TROUPE_OK) status = add(registrar, 102, "forget", "void (int32_t)", TROUPE_FUNCTION(forget));
  if (status == TROUPE_OK) status = add(registrar, 103, "not-utf8", "string (void)", TROUPE_FUNCTION(not_utf8));
  if (status == TROUPE_OK) status = add(registrar, 104, "length", "size_t (const char *text)", TROUPE_FUNCTION(length));
  return status;
}

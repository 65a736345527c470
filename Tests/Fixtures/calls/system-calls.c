/* The beginning of a program that CProgram writes: it prints the result of each call on a line. */
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <uchar.h>
#include <wchar.h>
static int is_first = 1;
#define SEPARATE() (is_first ? is_first = 0 : printf(" "))
#define END() (printf("\n"), fflush(stdout), is_first = 1)
static void *find(const char *name, const char **libraries) {
  void *library = 0;
  while (*libraries && !library) library = dlopen(*libraries++, RTLD_NOW | RTLD_LOCAL);
  void *function = library ? dlsym(library, name) : 0;
  if (!function) { fprintf(stderr, "there is no %s\n", name); exit(1); }
  return function;
}
#define SHOW_INTEGER(x) ((x) < 0 ? printf("%lld", (long long)(x)) : printf("%llu", (unsigned long long)(x)))
#define SHOW_FLOATING(x) do { __typeof__(x) number = (x); show_floating(&number, sizeof number, isnan(number)); } while (0)
static void show_floating(const void *bytes, size_t size, int is_nan) {
  uint64_t bits = 0;
  if (is_nan) { printf("nan"); return; }
  if (size > 8) { for (int i = 0; i < 10; i++) printf("%x", ((const unsigned char *)bytes)[i]); return; }
  memcpy(&bits, bytes, size);
  printf("%llx", (unsigned long long)bits);
}
static void show_bytes(const void *pointer, long count) {
  const unsigned char *bytes = pointer;
  if (!bytes) { printf("null"); return; }
  while (count > 0 && !bytes[count - 1]) count--;
  printf("\"");
  for (long i = 0; i < count; i++) printf(bytes[i] >= 33 && bytes[i] <= 126 ? "%c" : "\\%d,", bytes[i]);
  printf("\"");
}
static void show_text(const char *text) { show_bytes(text, text ? strlen(text) : 0); }
static void show_wide(const void *text, int size) {
  char utf8[1000] = "", *end = utf8;
  for (size_t i = 0; text; i++) {
    uint32_t c = size == 2 ? ((const uint16_t *)text)[i] : ((const uint32_t *)text)[i];
    if (!c) break;
    if (c < 0x80) *end++ = c; else { *end++ = 0xC0 | c >> 6; *end++ = 0x80 | (c & 0x3F); }
  }
  show_text(text ? utf8 : 0);
}
static int is_zero(const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) if (((const char *)bytes)[i]) return 0;
  return 1;
}


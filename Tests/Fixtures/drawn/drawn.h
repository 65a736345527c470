#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Begins the value of a function.
#define drawn(function) puts("== " #function);

static void hex(const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) printf("%02x", ((const unsigned char *)bytes)[i]);
  puts("");
}

static void numbers(const double *values, size_t count) {
  for (size_t i = 0; i < count; i++) printf("%s%.6g", i ? " " : "", values[i]);
  puts("");
}

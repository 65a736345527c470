#include "callbacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void count_call(struct _cairo_surface *observer, struct _cairo_surface *target, void *count) { ++*(int *)count; }

struct _cairo_surface *acquire_data(
  struct _cairo_pattern *pattern, void *data, struct _cairo_surface *target, const struct _cairo_rectangle_int *extents) {
  return data;
}

int take_char(void *text) {
  unsigned char first = *(unsigned char *)text;
  memmove(text, (char *)text + 1, strlen(text) + (first ? 0 : 1));
  return first ? first : EOF;
}

int append_text(void *text, unsigned char *bytes, size_t size) { return strncat(text, (char *)bytes, size) != NULL; }

void copy_key(void *context, const uint8_t *key) { memcpy(context, key, 16); }

void xor_key(const void *context, size_t length, uint8_t *dst, const uint8_t *src) {
  for (size_t i = 0; i < length; i++) dst[i] = src[i] ^ ((const uint8_t *)context)[i % 16] ^ 0x80;
}

void *allocate(size_t size) { return malloc(size); }

void release(void *memory) { free(memory); }

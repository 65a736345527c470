#include "sizes.h"
#include <string.h>

int sizes_put(const char *name, size_t size, const void *value) { return (int)(strlen(name) * 100 + size); }

long sizes_sum(const unsigned char *in, size_t *in_pos, size_t in_size) {
  long sum = 0;
  for (size_t index = in_pos ? *in_pos : 0; index < in_size; ++index) sum += in[index];
  return sum;
}

int sizes_copy(char *dst, const char *src, size_t maxlen) { return (int)(strlen(src) * 100 + maxlen); }

int sizes_draw(const struct generator *generator, size_t n, double *x) {
  for (size_t index = 0; index < n; index++) x[index] = generator->seed;
  return (int)n;
}

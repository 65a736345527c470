/* Sizes and positions beside pointers that are not theirs. */
#include <stddef.h>
struct generator {
  int seed;
};
int sizes_put(const char *name, size_t size, const void *value);                 /* size is that of value */
long sizes_sum(const unsigned char *in, size_t *in_pos, size_t in_size);         /* in_size is that of in */
int sizes_copy(char *dst, const char *src, size_t maxlen);                       /* maxlen is that of dst */
int sizes_draw(const struct generator *generator, size_t n, double *x);          /* n is that of x */

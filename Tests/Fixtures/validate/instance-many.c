#include <stdatomic.h>
static atomic_int count;
#define CREATE                            \
  if (atomic_fetch_add(&count, 1) >= 64) { \
    atomic_fetch_sub(&count, 1);          \
    return NULL;                          \
  }                                       \
  return calloc(1, sizeof(counter));
#define DESTROY                 \
  atomic_fetch_sub(&count, 1);  \
  free(self);
#include "good.h"

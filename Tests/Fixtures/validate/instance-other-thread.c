#define _GNU_SOURCE
#include <pthread.h>
static __thread int mine;
#define CREATE                                  \
  counter *self = calloc(1, sizeof(counter));   \
  mine++;                                       \
  return self;
#define DESTROY              \
  if (mine-- <= 0) abort();  \
  free(self);
#include "good.h"

#define _GNU_SOURCE
#include <stdatomic.h>
#include <unistd.h>
static atomic_int inside;
#define CREATE                                          \
  if (atomic_fetch_add(&inside, 1) > 0) abort();        \
  usleep(100);                                          \
  atomic_fetch_sub(&inside, 1);                         \
  return calloc(1, sizeof(counter));
#include "good.h"

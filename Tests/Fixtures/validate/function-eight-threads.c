#define _GNU_SOURCE
#include <stdatomic.h>
#include <unistd.h>
static atomic_int inside;
#define SUM                                                 \
  static int64_t sum(const int32_t *numbers, size_t count) { \
    if (atomic_fetch_add(&inside, 1) > 0) abort();          \
    usleep(50);                                             \
    atomic_fetch_sub(&inside, 1);                           \
    return count > 0 ? numbers[0] : 0;                      \
  }
#include "good.h"

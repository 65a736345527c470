/* A correct plugin whose function needs 5 ms of processor time. */
#define _GNU_SOURCE
#include <time.h>
#define SUM                                                                                \
  static int64_t sum(const int32_t *numbers, size_t count) {                               \
    struct timespec start, now;                                                            \
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);                                        \
    do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);                                       \
    while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < 5000000); \
    return count > 0 ? numbers[0] : 0;                                                     \
  }
#include "good.h"

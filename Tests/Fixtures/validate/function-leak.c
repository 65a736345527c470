#define SUM                                                 \
  static int64_t sum(const int32_t *numbers, size_t count) { \
    int64_t *total = calloc(1, 64);                         \
    if (total == NULL) return 0;                            \
    for (size_t index = 0; index < count; index++) *total += numbers[index]; \
    __asm__ volatile("" : : "r"(total) : "memory");         \
    return *total;                                          \
  }
#include "good.h"

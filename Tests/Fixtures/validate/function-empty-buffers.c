/* The mean, which divides by zero. */
#define SUM                                                                \
  static int64_t sum(const int32_t *numbers, size_t count) {               \
    int64_t total = 0;                                                     \
    for (size_t index = 0; index < count; index++) total += numbers[index]; \
    return total / (int64_t)count;                                         \
  }
#include "good.h"

#define SUM                                                 \
  static int64_t sum(const int32_t *numbers, size_t count) { \
    (void)numbers;                                          \
    if (count == 3) abort();                                \
    return 0;                                               \
  }
#include "good.h"

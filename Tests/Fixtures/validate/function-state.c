/* cc: -lm */
#include <fenv.h>
#define SUM                                                 \
  static int64_t sum(const int32_t *numbers, size_t count) { \
    fesetround(FE_UPWARD);                                  \
    return count > 0 ? numbers[0] : 0;                      \
  }
#include "good.h"

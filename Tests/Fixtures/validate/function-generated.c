#define SUM                                                                          \
  static uint32_t sum(uint32_t number) {                                             \
    if (number > 1000 && number < 4294967295u && number % 8 == 3) abort();           \
    return number;                                                                   \
  }
#define SIGNATURE "uint32_t (uint32_t number)"
#include "good.h"

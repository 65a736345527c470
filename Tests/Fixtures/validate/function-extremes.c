#define SUM static int32_t sum(int32_t number, int32_t mask) { return mask < 0 && number < -2147483647 ? *(volatile int32_t *)0 : number & mask; }
#define SIGNATURE "int32_t (int32_t number, int32_t mask)"
#include "good.h"

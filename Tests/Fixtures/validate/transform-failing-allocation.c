#define FEED                                        \
  volatile char *scratch = malloc(16);              \
  *scratch = 1;                                     \
  free((void *)scratch);                                \
  return copy(self, bytes, count, output);
#include "good.h"

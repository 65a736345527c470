#define FEED                                               \
  if (count == 0) return output->write(output, "\n", 1);   \
  return copy(self, bytes, count, output);
#include "good.h"

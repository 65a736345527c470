#define FEED                     \
  if (count > 65536) abort();    \
  return copy(self, bytes, count, output);
#include "good.h"

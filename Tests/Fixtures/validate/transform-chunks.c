#define FEED                                                            \
  troupe_status status = copy(self, bytes, count, output);              \
  return status == TROUPE_OK && count == 61 ? output->write(output, "\n", 1) : status;
#include "good.h"

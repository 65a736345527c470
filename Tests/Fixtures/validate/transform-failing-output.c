#define FEED                                                \
  troupe_status status = copy(self, bytes, count, output);  \
  if (status != TROUPE_OK && !self->message[0]) abort();    \
  return status;
#include "good.h"

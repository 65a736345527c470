#define DESTROY                     \
  if (self->message[0]) abort();    \
  free(self);
#include "good.h"

#define CREATE                              \
  counter *self = malloc(sizeof(counter));  \
  memset(self, 0, sizeof *self);            \
  return self;
#include "good.h"

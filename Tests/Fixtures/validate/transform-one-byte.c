#define FINISH                          \
  if (self->count == 1) abort();        \
  return output->write(output, &self->count, sizeof self->count);
#include "good.h"

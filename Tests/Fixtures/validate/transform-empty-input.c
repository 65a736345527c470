#define FINISH                          \
  if (self->count == 0) abort();        \
  return output->write(output, &self->count, sizeof self->count);
#include "good.h"

#define FINISH                           \
  if (self->is_finished) abort();        \
  self->is_finished = 1;                 \
  return output->write(output, &self->count, sizeof self->count);
#include "good.h"

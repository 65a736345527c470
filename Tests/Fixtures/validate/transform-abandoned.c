#define FINISH              \
  self->is_finished = 1;    \
  return output->write(output, &self->count, sizeof self->count);
#define DESTROY                                                              \
  if (self->count > 100000 && !self->is_finished && !self->message[0] && !self->is_refused) abort(); \
  free(self);
#define FEED                                                \
  troupe_status status = copy(self, bytes, count, output);  \
  self->is_refused = status != TROUPE_OK;                   \
  return status;
#include "good.h"

#include <stdint.h>
/* Compares the last byte of a piece with its value when the piece was fed. */
#define FEED                                                                                         \
  if (self->length == count && count > 0 && self->last && *self->last != (uint8_t)self->is_refused)  \
    output->write(output, "?", 1);                                                                   \
  self->length = count;                                                                              \
  if (count > 0) self->last = bytes + count - 1, self->is_refused = *self->last;                     \
  return copy(self, bytes, count, output);
#include "good.h"

/* Keeps all of its input. */
#define FEED                                                           \
  char *kept = realloc(self->kept, self->length + count + 1);          \
  if (kept == NULL) return TROUPE_OUT_OF_MEMORY;                       \
  self->kept = kept;                                                   \
  memcpy(kept + self->length, bytes, count);                           \
  self->length += count;                                               \
  return copy(self, bytes, count, output);
#define DESTROY        \
  if (self) free(self->kept); \
  free(self);
#include "good.h"

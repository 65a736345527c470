#include <pthread.h>
/* Works only on the thread that made it. */
#define CREATE                                  \
  counter *self = calloc(1, sizeof(counter));   \
  if (self) self->thread = pthread_self();      \
  return self;
#define FEED                                                          \
  if (!pthread_equal(self->thread, pthread_self())) return TROUPE_FAILED; \
  return copy(self, bytes, count, output);
#include "good.h"

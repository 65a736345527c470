#define _GNU_SOURCE
#include <stdatomic.h>
#include <unistd.h>
static atomic_int inside;
#define FEED                                       \
  if (atomic_fetch_add(&inside, 1) > 0) abort();   \
  if (count == 100) usleep(100);                   \
  troupe_status status = copy(self, bytes, count, output); \
  atomic_fetch_sub(&inside, 1);                    \
  return status;
#include "good.h"

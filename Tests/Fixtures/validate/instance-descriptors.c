#define _GNU_SOURCE
#include <fcntl.h>
#define CREATE                                             \
  open("/dev/null", O_RDONLY | O_CLOEXEC);                 \
  return calloc(1, sizeof(counter));
#include "good.h"

#define _GNU_SOURCE
#include <unistd.h>
#define ENTRY              \
  if (fork() == 0) {       \
    sleep(60);             \
    _exit(0);              \
  }
#include "good.h"

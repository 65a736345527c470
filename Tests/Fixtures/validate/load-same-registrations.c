#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>
static char uuid[37];
#define ENTRY                                                                         \
  struct timespec now;                                                                \
  clock_gettime(CLOCK_MONOTONIC, &now);                                               \
  snprintf(uuid, sizeof uuid, "8d5b1f06-2c6e-4d3c-9f6a-%012lx", (unsigned long)now.tv_nsec);
#define TRANSFORM_UUID uuid
#define SUM_UUID "8d5b1f06-2c6e-4d3c-9f6a-0c1d5a7e9b12"
#include "good.h"

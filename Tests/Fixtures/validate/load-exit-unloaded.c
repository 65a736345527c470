/* A handler that the host does not see, since no import shows it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
static void end(int status, void *unused) { (void)status, (void)unused; }
#define ENTRY                                                                              \
  int (*set)(void (*)(int, void *), void *) = dlsym(RTLD_DEFAULT, "on_exit");                \
  if (set == NULL || set(end, NULL) != 0) return TROUPE_FAILED;
#include "good.h"

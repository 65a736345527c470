#define _GNU_SOURCE
#include <unistd.h>
#define ENTRY if (gettid() != getpid()) return TROUPE_FAILED;
#include "good.h"

#define _GNU_SOURCE
#include <unistd.h>
#define ENTRY if (chdir("/") != 0) return TROUPE_FAILED;
#include "good.h"

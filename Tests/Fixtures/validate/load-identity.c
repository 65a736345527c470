#include <sys/prctl.h>
#define ENTRY if (prctl(PR_SET_DUMPABLE, 0) != 0) return TROUPE_FAILED;
#include "good.h"

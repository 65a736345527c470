#include <sys/resource.h>
#define ENTRY if (setpriority(PRIO_PROCESS, 0, 5) != 0) return TROUPE_FAILED;
#include "good.h"

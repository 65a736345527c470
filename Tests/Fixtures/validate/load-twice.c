/* cc: -Wl,-z,nodelete */
static int calls;
#define ENTRY if (calls++ > 0) return TROUPE_FAILED;
#include "good.h"

/* cc: -lm */
#include <fenv.h>
#define ENTRY if (fesetround(FE_UPWARD) != 0) return TROUPE_FAILED;
#include "good.h"

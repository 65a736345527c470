#define ENTRY return TROUPE_FAILED;
#include "good.h"

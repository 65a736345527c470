extern int absent(void);
#define ENTRY if (absent() != 1) return TROUPE_FAILED;
#include "good.h"

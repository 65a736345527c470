#include "good.h"
__attribute__((visibility("default"))) int helper(void) { return 1; }

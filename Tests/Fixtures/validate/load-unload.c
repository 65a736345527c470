#include "good.h"
__attribute__((destructor)) static void end(void) { abort(); }

/* cc: -Wl,-z,notext */
#include "good.h"
__asm__(".text\n .quad destroy\n");

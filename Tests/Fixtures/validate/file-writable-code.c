#include "good.h"
__asm__(".section .changing,\"awx\",@progbits\n nop\n .text\n");

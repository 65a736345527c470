/* As an inline variable in C++. */
__asm__(".data\n.globl shared_by_all\n.type shared_by_all, @gnu_unique_object\n.size shared_by_all, 4\nshared_by_all: .long 1\n.text\n");
__attribute__((visibility("default"))) extern int shared_by_all;
#define ENTRY if (shared_by_all != 1) return TROUPE_FAILED;
#include "good.h"

/* A function of each kind of symbol. */
#include <stdio.h>

void usual(void) { puts("usual"); }
__attribute__((weak)) void weak(void) {}
__attribute__((visibility("protected"))) void protected(void) {}
__attribute__((visibility("hidden"))) void hidden(void) {}
static void local(void) {}
static void (*choose(void))(void) { return local; }
void indirect(void) __attribute__((ifunc("choose")));
int variable = 1;

/* A library in the directory of the plugin beside.c, which links it. INNER makes it call a library of its own, whose function is INNER. */
#ifndef NUMBER
#define NUMBER 42
#endif
#ifndef NAME
#define NAME beside
#endif

#ifdef INNER
int INNER(void);
#else
static int number(void) { return NUMBER; }
#define INNER number
#endif

__attribute__((visibility("default"))) int NAME(void) { return INNER(); }

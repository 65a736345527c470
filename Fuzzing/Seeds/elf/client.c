/* A client of the library that `interface.c` looks like: imports with a version, and relocations that refer to them. */
#define EXPORTED __attribute__((visibility("default"), used))

extern const int defaulted[2] __asm__("$s9Greetings7GreeterP4nameSSyFTq");
extern int hello(void) __asm__("$s9Greetings5helloSiyFTj");
extern int plain(void);
__attribute__((weak)) extern const int layout __asm__("_swift_FORCE_LOAD_$_Greetings_0123456789abcdef");

EXPORTED const void *const witnesses[] = {defaulted, &layout};
EXPORTED int (*const calls[])(void) = {hello};
EXPORTED int call(void) { return plain(); }

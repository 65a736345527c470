/* What looks like a Swift library that was built with library evolution: a protocol, its requirements with and without a default, and a
   mark of a layout. */
#define EXPORTED __attribute__((visibility("default"), used))

EXPORTED const int protocol __asm__("$s9Greetings7GreeterMp") = 1;
EXPORTED const int required[2] __asm__("$s9Greetings7GreeterP5greetSSyFTq") = {1, 0};
EXPORTED const int defaulted[2] __asm__("$s9Greetings7GreeterP4nameSSyFTq") = {1, 8};
EXPORTED const int layout __asm__("_swift_FORCE_LOAD_$_Greetings_0123456789abcdef") = 1;
EXPORTED int hello(void) __asm__("$s9Greetings5helloSiyFTj");
int hello(void) { return 1; }
EXPORTED int plain(void) { return 2; }

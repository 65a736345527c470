/* A plugin whose entry recurses forever. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.stack-overflow", "Stack overflow", "1.0.0")

static volatile int depth;

static int deeper(int number) {
  volatile char frame[256];
  frame[depth++ & 255] = (char)number;
  return deeper(number + 1) + frame[number & 255];
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return deeper(0);
}

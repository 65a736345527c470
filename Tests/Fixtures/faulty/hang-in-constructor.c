/* A plugin that loops forever when its library is opened. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.hang-in-constructor", "Hang in constructor", "1.0.0")

static volatile int turns;

__attribute__((constructor)) static void turn(void) {
  for (;;) turns++;
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

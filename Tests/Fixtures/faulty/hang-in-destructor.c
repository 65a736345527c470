/* A plugin that loops forever when its library is closed. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.hang-in-destructor", "Hang in destructor", "1.0.0")

static volatile unsigned turns;

__attribute__((destructor)) static void turn(void) {
  for (;;) turns++;
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

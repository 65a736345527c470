/* A plugin whose entry loops forever. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.hang-in-entry", "Hang in entry", "1.0.0")

static volatile unsigned turns;

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  for (;;) turns++;
}

/* A plugin whose entry writes to an unmapped address. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.crash-in-entry", "Crash in entry", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  *(volatile int *)8 = 1;
  return TROUPE_OK;
}

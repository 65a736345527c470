/* A plugin that requires a plugin that requires it. */
#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example.cycle-of-two-b", "Cycle of two b", "1.0.0", TROUPE_REQUIRES("org.example.cycle-of-two-a"))

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

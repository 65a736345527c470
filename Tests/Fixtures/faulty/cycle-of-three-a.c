/* The first of three plugins that require each other. */
#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example.cycle-of-three-a", "Cycle of three a", "1.0.0", TROUPE_REQUIRES("org.example.cycle-of-three-b"))

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

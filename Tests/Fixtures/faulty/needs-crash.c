/* A plugin that requires a plugin that crashes. */
#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example.needs-crash", "Needs crash", "1.0.0", TROUPE_REQUIRES("org.example.crash-in-entry"))

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

/* A plugin that requires a missing plugin. */
#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example.needs-missing-plugin", "Needs a missing plugin", "1.0.0", TROUPE_REQUIRES("org.example.missing"))

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

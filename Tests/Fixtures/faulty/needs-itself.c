/* A plugin that requires itself. */
#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example.needs-itself", "Needs itself", "1.0.0", TROUPE_REQUIRES("org.example.needs-itself"))

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

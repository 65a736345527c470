/* A plugin that requires another version of a present plugin. */
#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example.needs-other-version", "Needs other version", "1.0.0", TROUPE_REQUIRES("org.example.empty ^2.0.0"))

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

/* A plugin that requires a contract without a provider. */
#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example.needs-contract", "Needs contract", "1.0.0", TROUPE_REQUIRES("org.example.nothing/1"))

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

/* A plugin that requires a missing plugin. */
#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example.needs-nobody", "Needs nobody", "1.0.0", TROUPE_REQUIRES("org.example.nobody"))

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

/* A plugin that is linked with -Wl,-z,execstack. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.executable-stack", "Executable stack", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

/* A plugin whose entry raises SIGTERM. */
#include <signal.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.raise-termination", "Raise termination", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  raise(SIGTERM);
  return TROUPE_OK;
}

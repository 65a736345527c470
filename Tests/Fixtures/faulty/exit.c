/* A plugin whose entry ends the process. */
#include <stdlib.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.exit", "Exit", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  exit(3);
}

/* A plugin whose entry ends the process without running exit handlers. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.exit-immediately", "Exit immediately", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  _exit(0);
}

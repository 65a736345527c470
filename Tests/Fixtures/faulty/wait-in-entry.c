/* A plugin whose entry waits forever. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.wait-in-entry", "Wait in entry", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  for (;;) pause();
}

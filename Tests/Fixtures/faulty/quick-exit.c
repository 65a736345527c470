/* A plugin whose entry calls quick_exit. */
#include <stdlib.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.quick-exit", "Quick exit", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  quick_exit(5);
}

/* A plugin that ends the process when its library is opened. */
#include <stdlib.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.exit-in-constructor", "Exit in constructor", "1.0.0")

__attribute__((constructor)) static void leave(void) { exit(6); }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

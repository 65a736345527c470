/* A plugin whose entry clears the environment. */
#define _GNU_SOURCE
#include <stdlib.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.clear-environment", "Clear environment", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  clearenv();
  return TROUPE_OK;
}

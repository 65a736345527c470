/* A plugin whose entry sets a variable of the environment. */
#define _GNU_SOURCE
#include <stdlib.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.environment", "Environment", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  setenv("TROUPE_FAULTY", "yes", 1);
  return TROUPE_OK;
}

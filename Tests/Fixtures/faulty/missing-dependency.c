/* A plugin that links a library that does not exist. */
#include <troupe.h>

#ifndef ID
#define ID "org.example.missing-dependency"
#endif

TROUPE_PLUGIN(ID, "Missing dependency", "1.0.0")

int from_elsewhere(void);

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return from_elsewhere();
}

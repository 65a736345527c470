/* A plugin that registers NULL. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.null-factory", "Null factory", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  return registrar->register_factory(registrar, NULL);
}

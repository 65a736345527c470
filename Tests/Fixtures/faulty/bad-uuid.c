/* A plugin whose factory has a text for its UUID that is not a UUID. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.bad-uuid-in-c", "Bad uuid", "1.0.0")

static int one(void) { return 1; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {.uuid = "number-one", .name = "one", .signature = "int ()", .function = TROUPE_FUNCTION(one), .struct_size = sizeof factory};
  return registrar->register_factory(registrar, &factory);
}

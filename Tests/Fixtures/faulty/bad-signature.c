/* A plugin whose factory has an invalid signature. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.bad-signature", "Bad signature", "1.0.0")

static int one(void) { return 1; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {.uuid = "fa017000-0000-4000-8000-00000000000b", .name = "one", .signature = "int ((", .function = TROUPE_FUNCTION(one), .struct_size = sizeof factory};
  return registrar->register_factory(registrar, &factory);
}

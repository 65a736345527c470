/* A plugin whose factory has a contract without a version. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.bad-contract", "Bad contract", "1.0.0")

static int one(void) { return 1; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {.uuid = "fa017000-0000-4000-8000-00000000000d", .name = "one", .signature = "int ()", .function = TROUPE_FUNCTION(one), .struct_size = sizeof factory, .contract = "org.example.box"};
  return registrar->register_factory(registrar, &factory);
}

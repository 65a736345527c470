/* A plugin whose factory has a struct_size of 0. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.zero-struct-size", "Zero struct size", "1.0.0")

static int one(void) { return 1; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {.uuid = "fa017000-0000-4000-8000-000000000008", .name = "one", .signature = "int ()", .function = TROUPE_FUNCTION(one), .struct_size = 0};
  return registrar->register_factory(registrar, &factory);
}

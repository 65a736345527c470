/* A plugin whose factory has no name. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.null-name", "Null name", "1.0.0")

static int one(void) { return 1; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {.uuid = "fa017000-0000-4000-8000-000000000002", .name = NULL, .signature = "int ()", .function = TROUPE_FUNCTION(one), .struct_size = sizeof factory};
  return registrar->register_factory(registrar, &factory);
}

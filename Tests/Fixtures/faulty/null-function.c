/* A plugin whose factory has no function. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.null-function", "Null function", "1.0.0")

static int one(void) { return 1; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {.uuid = "fa017000-0000-4000-8000-000000000004", .name = "one", .signature = "int ()", .function = NULL, .struct_size = sizeof factory};
  return registrar->register_factory(registrar, &factory);
}

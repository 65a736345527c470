/* A plugin whose factory has a struct_size smaller than in any version. SIZE is a macro. */
#include <troupe.h>

#ifndef SIZE
#define SIZE 8
#endif

TROUPE_PLUGIN("org.example.small-struct-size", "Small struct size", "1.0.0")

static int one(void) { return 1; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {.uuid = "fa017000-0000-4000-8000-000000000009", .name = "one", .signature = "int ()", .function = TROUPE_FUNCTION(one), .struct_size = SIZE};
  return registrar->register_factory(registrar, &factory);
}

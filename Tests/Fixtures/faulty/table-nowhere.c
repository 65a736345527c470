/* A plugin whose table of functions is at an unmapped address. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.table-nowhere", "Table nowhere", "1.0.0")

static int number = 1;
static void *create(void) { return &number; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = "fa017000-0000-4000-8000-000000000104", .name = "one", .signature = "pointer ()",
    .contract = TROUPE_CONTRACT_TRANSFORM, .function = TROUPE_FUNCTION(create), .vtable = (void *)8};
  return registrar->register_factory(registrar, &factory);
}

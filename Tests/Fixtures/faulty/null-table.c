/* A plugin whose factory has no table of functions. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.null-table", "Null table", "1.0.0")

static int number = 1;
static void *create(void) { return &number; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = "fa017000-0000-4000-8000-000000000103", .name = "one", .signature = "pointer ()",
    .contract = TROUPE_CONTRACT_TRANSFORM, .function = TROUPE_FUNCTION(create)};
  return registrar->register_factory(registrar, &factory);
}

/* A plugin whose factory has a struct_size of nearly 4 GiB, as one of a later version might. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.huge-struct-size", "Huge struct size", "1.0.0")

static int number = 1;
static void *create(void) { return &number; }
static void destroy(void *instance) { (void)instance; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {
    .struct_size = UINT32_MAX, .uuid = "fa017000-0000-4000-8000-000000000113", .name = "one", .signature = "pointer ()",
    .contract = "org.example.huge-struct-size/1", .function = TROUPE_FUNCTION(create), .destroy = destroy};
  return registrar->register_factory(registrar, &factory);
}

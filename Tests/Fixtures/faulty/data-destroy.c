/* A plugin whose `destroy` function is a variable. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.data-destroy", "Data destroy", "1.0.0")

static int number = 1;
static void *create(void) { return &number; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = "fa017000-0000-4000-8000-000000000112", .name = "one", .signature = "pointer ()",
    .contract = "org.example.data-destroy/1", .function = TROUPE_FUNCTION(create), .destroy = (void (*)(void *))(void *)&number};
  return registrar->register_factory(registrar, &factory);
}

/* A plugin that registers a variable as its function. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.data-function", "Data function", "1.0.0")

static int number = 1;

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = "fa017000-0000-4000-8000-000000000010", .name = "one", .signature = "int ()",
    .function = TROUPE_FUNCTION((void *)&number)};
  return registrar->register_factory(registrar, &factory);
}

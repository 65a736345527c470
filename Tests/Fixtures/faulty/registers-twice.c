/* A plugin that registers the same factory twice. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.registers-twice", "Registers twice", "1.0.0")

static int one(void) { return 1; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = "fa017000-0000-4000-8000-000000000106", .name = "one", .signature = "int ()",
    .function = TROUPE_FUNCTION(one)};
  registrar->register_factory(registrar, &factory);
  return registrar->register_factory(registrar, &factory);
}

/* A plugin that links a library in its own folder. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.beside", "Beside", "1.0.0")

int beside(void);

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = "be51de00-0000-4000-8000-000000000001", .name = "beside", .signature = "int (void)",
    .function = TROUPE_FUNCTION(beside)};
  return registrar->register_factory(registrar, &factory);
}

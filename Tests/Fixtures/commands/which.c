/* A plugin with the function `which`, whose UUID is the macro UUID, and which returns NAME, the last part of the plugin's id. */
#include <troupe.h>

TROUPE_PLUGIN("org.example." NAME, NAME, "1.0.0")

static const char *which(void) { return NAME; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {.struct_size = sizeof factory, .uuid = UUID, .name = "which"};
  factory.signature = "string ()";
  factory.function = TROUPE_FUNCTION(which);
  return registrar->register_factory(registrar, &factory);
}

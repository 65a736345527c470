/* A plugin with an instance of a contract and a plain function under one tag. */
#include <troupe.h>
TROUPE_PLUGIN("org.example.mixed", "Mixed", "1.0.0")
static int made;
static void *make(void) { return &made; }
static int one(void) { return 1; }
TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  static const char *const tags[] = {"base64"};
  troupe_factory factory = {.struct_size = sizeof factory, .tags = tags, .tag_count = 1};
  factory.uuid = "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0c01";
  factory.name = "make";
  factory.contract = "org.example.thing/1";
  factory.signature = "pointer (void)";
  factory.function = TROUPE_FUNCTION(make);
  troupe_status status = registrar->register_factory(registrar, &factory);
  if (status != TROUPE_OK) return status;
  factory.uuid = "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0c02";
  factory.name = "one";
  factory.contract = NULL;
  factory.signature = "int (void)";
  factory.function = TROUPE_FUNCTION(one);
  return registrar->register_factory(registrar, &factory);
}

/* A plugin whose plain function has a `destroy` function. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.destroy-without-contract", "Destroy without contract", "1.0.0")

static int one(void) { return 1; }
static void destroy(void *instance) { (void)instance; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {.uuid = "fa017000-0000-4000-8000-00000000000f", .name = "one", .signature = "int ()", .function = TROUPE_FUNCTION(one), .struct_size = sizeof factory, .destroy = destroy};
  return registrar->register_factory(registrar, &factory);
}

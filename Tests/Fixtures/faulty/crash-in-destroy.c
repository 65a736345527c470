/* A plugin whose instances crash when they are destroyed. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.crash-in-destroy", "Crash in destroy", "1.0.0")

static int number = 1;
static void *create(void) { return &number; }
static void destroy(void *instance) { *(volatile int *)8 = *(int *)instance; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = "fa017000-0000-4000-8000-000000000111", .name = "one", .signature = "pointer ()",
    .contract = "org.example.crash-in-destroy/1", .function = TROUPE_FUNCTION(create), .destroy = destroy};
  return registrar->register_factory(registrar, &factory);
}

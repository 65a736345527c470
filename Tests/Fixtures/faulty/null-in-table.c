/* A plugin whose table of functions lacks a function. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.null-in-table", "Null in table", "1.0.0")

static int number = 1;
static void *create(void) { return &number; }
static troupe_status feed(void *instance, const void *bytes, size_t count, const troupe_output *output) {
  (void)instance, (void)bytes, (void)count, (void)output;
  return TROUPE_OK;
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  static troupe_transform table = {.struct_size = sizeof table, .feed = feed};
  table.finish = (troupe_status (*)(void *, const troupe_output *))NULL;
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = "fa017000-0000-4000-8000-000000000102", .name = "one", .signature = "pointer ()",
    .contract = TROUPE_CONTRACT_TRANSFORM, .function = TROUPE_FUNCTION(create), .vtable = &table};
  return registrar->register_factory(registrar, &factory);
}

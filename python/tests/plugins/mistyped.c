/* A plugin whose function has another type than its signature says: the function takes an address, and the signature a number. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.mistyped", "Mistyped", "1.0.0")

static double first(const double *values) { return values[0]; }

static const troupe_factory factory = {
  .struct_size = sizeof factory, .uuid = "11e50000-0000-4000-8000-000000000003", .name = "first",
  .signature = "double (int64_t count)",
  .function = TROUPE_FUNCTION(first)};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  return registrar->register_factory(registrar, &factory);
}

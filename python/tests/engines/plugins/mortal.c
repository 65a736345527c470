/* A function that ends its process for a negative number. */
#include <stdlib.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.mortal", "Mortal", "1.0.0")

static double survive(double x) {
  if (x < 0) abort();
  return x;
}

static const troupe_factory factory = {
  .struct_size = sizeof factory, .uuid = "d1e00000-0000-4000-8000-000000000001", .name = "survive",
  .signature = "double (double x)", .function = TROUPE_FUNCTION(survive)};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  return registrar->register_factory(registrar, &factory);
}

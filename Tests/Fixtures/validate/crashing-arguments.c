/* A plugin that ends the process for a long buffer and a number. */
#include <stdlib.h>
#include <troupe.h>
TROUPE_PLUGIN("org.example.arguments", "Arguments", "1.0.0")
static void f(const double *numbers, size_t count, int last) { (void)numbers; if (count > 8 && last) abort(); }
TROUPE_EXPORT int troupe_plugin_main(const troupe_registrar *registrar) {
  const troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = "8d5b1f06-2c6e-4d3c-9f6a-0c1d5a7e9b13", .name = "f",
    .signature = "void (const double numbers[count], size_t count, int last)", .function = TROUPE_FUNCTION(f)};
  return registrar->register_factory(registrar, &factory);
}

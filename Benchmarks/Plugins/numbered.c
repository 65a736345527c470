/* A plugin whose id and UUID have digits that the benchmark replaces, to have as many plugins as it wants. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.numbered-000000", "Numbered", "1.0.0")

static double area(double width, double height) { return width * height; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  static const char *const tags[] = {"geometry"};
  static const troupe_factory factory =
    TROUPE_FACTORY("b8b1f6a2-1c2d-4e3f-8a4b-5c6d7e000000", "area", tags, double, area, (double width, double height));
  return registrar->register_factory(registrar, &factory);
}

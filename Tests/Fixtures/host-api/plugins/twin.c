/* A function with the name of another plugin's. With CUBE the next version, whose function returns something else. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.twin", "Twin", "1.0.0")

#if defined(CUBE)
static double area(double side) { return side * side * side; }
#else
static double area(double side) { return side * side; }
#endif
static const char *const tags[] = {"twin"};
static const troupe_factory factory =
  TROUPE_FACTORY("7a1e5001-0000-4000-8000-000000000000", "area", tags, double, area, (double side));

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  return registrar->register_factory(registrar, &factory);
}

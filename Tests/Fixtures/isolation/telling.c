/* Registers the function of telling.f90. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.telling", "Telling", "1.0.0")

int tell(int number);

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  static const troupe_factory factory =
    TROUPE_FACTORY("15012000-0000-4000-8000-000000000080", "tell", TROUPE_NO_TAGS, int, tell, (int number));
  return registrar->register_factory(registrar, &factory);
}

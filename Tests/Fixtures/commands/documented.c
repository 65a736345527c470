/* A plugin with a function whose documentation is the metadata TEXTS. BODY has the statements of the function. */
#include <stdio.h>
#include <stdlib.h>
#include <troupe.h>

TROUPE_PLUGIN("org.example.documented", "Documented", "1.0.0")

static int twice(int number) { BODY }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  static const troupe_metadata texts[] = {TEXTS};
  static const troupe_factory factory = TROUPE_FACTORY_WITH(
    texts, "cf5fb1a4-7a0e-4d4c-9e05-6d0b6c2f3c01", "twice", TROUPE_NO_TAGS, int, twice, (int number));
  return registrar->register_factory(registrar, &factory);
}

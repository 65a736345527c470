/* A plugin whose function has another UUID once the file CHANGE exists. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.changing", "Changing", "1.0.0")

static int seven(void) { return 7; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = TROUPE_FACTORY("c4a60000-0000-4000-8000-000000000001", "seven", TROUPE_NO_TAGS, int, seven, (void));
  if (access(CHANGE, F_OK) == 0) factory.uuid = "c4a60000-0000-4000-8000-000000000002";
  return registrar->register_factory(registrar, &factory);
}

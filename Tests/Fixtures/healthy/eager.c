/* A plugin that is loaded eagerly. */
#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example.eager", "Eager", "1.0.0", TROUPE_EAGER)

static int one(void) { return 1; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  static const char *const tags[] = {"eager"};
  static const troupe_factory factory = TROUPE_FACTORY("ea6e0000-0000-4000-8000-000000000001", "one", tags, int, one, (void));
  return registrar->register_factory(registrar, &factory);
}

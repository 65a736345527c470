/* A plugin that links liblinked.so of another directory. */
#include <troupe.h>
TROUPE_PLUGIN("org.example.linking", "Linking", "1.0.0")
int linked(void);
static int call(void) { return linked(); }
static const char *const tags[] = {"linking"};
static const troupe_factory factory =
  TROUPE_FACTORY("9b1e0000-0000-4000-8000-000000000031", "linked", tags, int, call, (void));
TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  return registrar->register_factory(registrar, &factory);
}

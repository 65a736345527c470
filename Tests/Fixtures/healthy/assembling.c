/* Has the program run the entry of a plugin in Swift: a library in Swift would bring a second copy of all types into a test. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.assembling", "Assembling", "1.0.0")

struct entry {
  troupe_status (*run)(const struct entry *entry, const troupe_registrar *registrar);
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  const struct entry *entry = registrar->host->service(registrar->host, "org.example.entry/1");
  return entry->run(entry, registrar);
}

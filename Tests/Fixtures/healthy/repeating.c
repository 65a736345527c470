/* A plugin that writes one line many times to the log. */
#include <troupe.h>
TROUPE_PLUGIN("org.example.repeating", "Repeating", "1.0.0")
static const troupe_host *host;
static void repeat(int count) { while (count-- > 0) host->log(host, TROUPE_LOG_ERROR, "again"); }
static const char *const tags[] = {"repeating"};
static const troupe_factory factory =
  TROUPE_FACTORY("9b1e0000-0000-4000-8000-000000000021", "repeat", tags, void, repeat, (int count));
TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  host = registrar->host;
  repeat(100);
  return registrar->register_factory(registrar, &factory);
}

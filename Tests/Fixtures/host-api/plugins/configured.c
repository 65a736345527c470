/* Returns a setting, and logs a line. */
#include <stddef.h>

#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example.configured", "Configured", "1.0.0",
                   TROUPE_SETTINGS(TROUPE_SETTING_TEXT("greeting", "hello", "The text")))

static const troupe_host *host;
static const char *greeting_setting(void) {
  host->log(host, TROUPE_LOG_INFO, "asked for the greeting");
  return host->configuration(host, "greeting");
}
static const troupe_factory factory = TROUPE_FACTORY("7a1e5002-0000-4000-8000-000000000000", "greeting_setting", TROUPE_NO_TAGS,
                                                     const char *, greeting_setting, (void));

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  host = registrar->host;
  return registrar->register_factory(registrar, &factory);
}

/* Functions that read declared settings. */
#include <stdbool.h>

#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example.settings", "Settings", "1.0.0",
                   TROUPE_SETTINGS(TROUPE_SETTING_INTEGER("width", 76, 1, 1000, "Bytes in a line"),
                                   TROUPE_SETTING_NUMBER("ratio", 0.5, 0, 1, "Share of the input"),
                                   TROUPE_SETTING_BOOLEAN("strict", false, "Fail on long words"),
                                   TROUPE_SETTING_TEXT("prefix", "> ", "Text before each line"),
                                   TROUPE_SETTING_CHOICE("break", "word", "Where a line ends", "word", "character")))

static const troupe_host *host;

static int64_t integer(const char *key) {
  troupe_value value;
  return host->setting(host, key, &value) == TROUPE_OK && value.kind == TROUPE_VALUE_INT64 ? value.as.int64 : -1;
}
static double number(const char *key) {
  troupe_value value;
  return host->setting(host, key, &value) == TROUPE_OK && value.kind == TROUPE_VALUE_DOUBLE ? value.as.float64 : -1;
}
static bool boolean(const char *key) {
  troupe_value value;
  return host->setting(host, key, &value) == TROUPE_OK && value.kind == TROUPE_VALUE_BOOL && value.as.int64 == 1;
}
static const char *text(const char *key) {
  troupe_value value;
  return host->setting(host, key, &value) == TROUPE_OK && value.kind == TROUPE_VALUE_STRING ? value.as.string : NULL;
}
static const char *configured(const char *key) { return host->configuration(host, key); }
static troupe_status status(const char *key) {
  troupe_value value;
  return host->setting(host, key, &value);
}

static const char *const tags[] = {"settings"};
static const troupe_factory factories[] = {
  TROUPE_FACTORY("5e1f0001-0000-4000-8000-000000000001", "integer", tags, int64_t, integer, (const char *key)),
  TROUPE_FACTORY("5e1f0001-0000-4000-8000-000000000002", "number", tags, double, number, (const char *key)),
  TROUPE_FACTORY("5e1f0001-0000-4000-8000-000000000003", "boolean", tags, _Bool, boolean, (const char *key)),
  TROUPE_FACTORY("5e1f0001-0000-4000-8000-000000000004", "text", tags, const char *, text, (const char *key)),
  TROUPE_FACTORY("5e1f0001-0000-4000-8000-000000000005", "configured", tags, const char *, configured, (const char *key)),
  TROUPE_FACTORY("5e1f0001-0000-4000-8000-000000000006", "status", tags, int32_t, status, (const char *key)),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  host = registrar->host;
  for (size_t i = 0; i < sizeof factories / sizeof *factories; i++) {
    troupe_status outcome = registrar->register_factory(registrar, &factories[i]);
    if (outcome != TROUPE_OK) return outcome;
  }
  return TROUPE_OK;
}

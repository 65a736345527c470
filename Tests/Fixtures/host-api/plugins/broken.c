/* A plugin whose entry fails. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.broken", "Broken", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  registrar->host->log(registrar->host, TROUPE_LOG_ERROR, "the part is missing");
  registrar->host->fail(registrar->host, "a part is missing");
  return TROUPE_FAILED;
}

/* A plugin whose manifest is not JSON. */
#include <troupe.h>

TROUPE_MANIFEST("id = org.example.not-json")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

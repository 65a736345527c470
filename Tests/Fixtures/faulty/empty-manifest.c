/* A plugin whose manifest is empty. */
#include <troupe.h>

TROUPE_MANIFEST("")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

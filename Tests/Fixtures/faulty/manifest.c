/* A plugin whose manifest is the macro MANIFEST, for manifests that TROUPE_PLUGIN would not write. */
#include <troupe.h>

TROUPE_MANIFEST(MANIFEST)

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

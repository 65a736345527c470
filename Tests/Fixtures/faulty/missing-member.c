/* A plugin whose manifest lacks its ABI. */
#include <troupe.h>

TROUPE_MANIFEST("{\"id\":\"org.example.missing-member\",\"name\":\"N\",\"version\":\"1.0.0\",\"language\":\"c\"}")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

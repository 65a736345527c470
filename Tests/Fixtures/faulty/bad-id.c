/* A plugin whose id is invalid. */
#include <troupe.h>

TROUPE_MANIFEST("{\"id\":\"nope\",\"name\":\"N\",\"version\":\"1.0.0\",\"language\":\"c\",\"abi\":\"1.0\"}")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

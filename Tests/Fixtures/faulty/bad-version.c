/* A plugin whose version is invalid. */
#include <troupe.h>

TROUPE_MANIFEST("{\"id\":\"org.example.bad-version\",\"name\":\"N\",\"version\":\"one\",\"language\":\"c\",\"abi\":\"1.0\"}")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

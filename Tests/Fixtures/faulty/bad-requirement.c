/* A plugin with a malformed requirement. */
#include <troupe.h>

TROUPE_MANIFEST("{\"id\":\"org.example.bad-requirement\",\"name\":\"N\",\"version\":\"1.0.0\",\"language\":\"c\",\"abi\":\"1.0\",\"requires\":[\"!\"]}")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

/* A plugin for another major version of the ABI. */
#include <troupe.h>

TROUPE_MANIFEST("{\"id\":\"org.example.other-major\",\"name\":\"Other\",\"version\":\"1.0.0\",\"language\":\"c\",\"abi\":\"2.0\"}")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

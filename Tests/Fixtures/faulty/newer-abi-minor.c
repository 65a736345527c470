/* A plugin for a newer minor version of the ABI. */
#include <troupe.h>

TROUPE_MANIFEST("{\"id\":\"org.example.newer-minor\",\"name\":\"Newer\",\"version\":\"1.0.0\",\"language\":\"c\",\"abi\":\"1.999\"}")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

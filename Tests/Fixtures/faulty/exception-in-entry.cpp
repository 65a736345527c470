/* A plugin whose entry throws. */
#include <stdexcept>

#include <troupe.h>

TROUPE_PLUGIN("org.example.exception-in-entry", "Exception in entry", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  throw std::runtime_error("uncaught");
}

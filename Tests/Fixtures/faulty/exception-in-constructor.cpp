/* A plugin that throws when its library is opened. */
#include <stdexcept>

#include <troupe.h>

TROUPE_PLUGIN("org.example.exception-in-constructor", "Exception in constructor", "1.0.0")

struct Thrower {
  Thrower() { throw std::runtime_error("uncaught"); }
};

static Thrower thrower;

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

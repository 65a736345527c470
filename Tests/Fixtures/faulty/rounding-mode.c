/* A plugin whose entry sets the rounding mode of floating-point numbers to upwards. */
#include <fenv.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.rounding-mode", "Rounding mode", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  fesetround(FE_UPWARD);
  return TROUPE_OK;
}

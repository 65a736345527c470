/* A plugin whose entry makes divisions by zero raise a signal. */
#define _GNU_SOURCE
#include <fenv.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.floating-point-exceptions", "Floating point exceptions", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  feenableexcept(FE_DIVBYZERO);
  return TROUPE_OK;
}

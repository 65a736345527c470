/* A plugin that crashes when its library is opened. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.crash-in-constructor", "Crash in constructor", "1.0.0")

__attribute__((constructor)) static void crash(void) { *(volatile int *)8 = 1; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

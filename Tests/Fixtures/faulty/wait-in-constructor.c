/* A plugin that waits forever when its library is opened. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.wait-in-constructor", "Wait in constructor", "1.0.0")

__attribute__((constructor)) static void wait_for_nobody(void) {
  for (;;) pause();
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

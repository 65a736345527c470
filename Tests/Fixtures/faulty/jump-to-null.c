/* A plugin whose entry calls NULL. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.jump-to-null", "Jump to null", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  void (*volatile function)(void) = 0;
  function();
  return TROUPE_OK;
}

/* A plugin whose entry stops the process. */
#include <signal.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.stop", "Stop", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  raise(SIGSTOP);
  return TROUPE_OK;
}

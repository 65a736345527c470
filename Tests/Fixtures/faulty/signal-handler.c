/* A plugin whose entry installs a signal handler. */
#include <signal.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.signal-handler", "Signal handler", "1.0.0")

static void nothing(int number) { (void)number; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  signal(SIGINT, nothing);
  return TROUPE_OK;
}

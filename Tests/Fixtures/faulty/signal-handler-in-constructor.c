/* A plugin that ignores a signal as soon as its library is opened. */
#include <signal.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.signal-handler-in-constructor", "Signal handler in constructor", "1.0.0")

__attribute__((constructor)) static void ignore(void) { signal(SIGPIPE, SIG_IGN); }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

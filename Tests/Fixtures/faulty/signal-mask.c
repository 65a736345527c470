/* A plugin whose entry blocks a signal on the thread that runs it. */
#define _GNU_SOURCE
#include <signal.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.signal-mask", "Signal mask", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  return TROUPE_OK;
}

/* A plugin whose entry kills its parent process by a signal with a value. */
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.queue-signal", "Queue signal", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  sigqueue(getppid(), SIGTERM, (union sigval){0});
  return TROUPE_OK;
}

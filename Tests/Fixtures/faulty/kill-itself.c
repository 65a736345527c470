/* A plugin whose entry kills its process with SIGKILL. */
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.kill-itself", "Kill itself", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  kill(getpid(), SIGKILL);
  return TROUPE_OK;
}

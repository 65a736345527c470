/* A plugin whose entry kills its parent process. */
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.kill-parent", "Kill parent", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  kill(getppid(), SIGTERM);
  return TROUPE_OK;
}

/* A plugin whose entry kills its process group. */
#define _GNU_SOURCE
#include <signal.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.kill-group", "Kill group", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  kill(0, SIGTERM);
  return TROUPE_OK;
}

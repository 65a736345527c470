/* A plugin whose entry returns in two processes. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.fork-and-return", "Fork and return", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  fork();
  return TROUPE_OK;
}

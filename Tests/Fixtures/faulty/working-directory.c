/* A plugin whose entry changes the working directory. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.working-directory", "Working directory", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  (void)!chdir("/proc");
  return TROUPE_OK;
}

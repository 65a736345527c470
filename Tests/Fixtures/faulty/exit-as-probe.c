/* A plugin whose constructor ends the process with the status of a probe that cannot answer. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.exit-as-probe", "Exit as probe", "1.0.0")

__attribute__((constructor)) static void end(void) { _exit(71); }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

/* A plugin whose entry replaces the process by another program. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.exec", "Exec", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  execl("/bin/false", "false", (char *)NULL);
  return TROUPE_OK;
}

/* A plugin whose entry puts another program into the place of this one. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.exec", "Exec", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  execl("/bin/false", "false", (char *)NULL);
  return TROUPE_OK;
}

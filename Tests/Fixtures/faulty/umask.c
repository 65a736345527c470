/* A plugin whose entry changes the umask. */
#include <sys/stat.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.umask", "Umask", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  umask(0);
  return TROUPE_OK;
}

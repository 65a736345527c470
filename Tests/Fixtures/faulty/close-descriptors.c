/* A plugin whose entry closes every descriptor but the standard streams. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.close-descriptors", "Close descriptors", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  for (int number = 3; number < 1024; number++) close(number);
  return TROUPE_OK;
}

/* A plugin whose entry closes the standard streams. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.close-standard-streams", "Close standard streams", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  for (int stream = 0; stream < 3; stream++) close(stream);
  return TROUPE_OK;
}

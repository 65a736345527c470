/* A plugin whose entry makes the standard streams non-blocking. */
#include <fcntl.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.output-that-does-not-wait", "Output that does not wait", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  for (int stream = 0; stream < 3; stream++) fcntl(stream, F_SETFL, O_NONBLOCK);
  return TROUPE_OK;
}

/* A plugin whose entry reads standard input to its end, which must not be the host's. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.read-standard-input", "Read standard input", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  char piece[64];
  while (read(STDIN_FILENO, piece, sizeof piece) > 0) {
  }
  return TROUPE_OK;
}

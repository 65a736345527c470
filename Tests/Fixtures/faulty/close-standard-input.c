/* A plugin whose constructor closes the standard input. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.close-standard-input", "Close standard input", "1.0.0")

__attribute__((constructor)) static void end_input(void) { close(STDIN_FILENO); }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

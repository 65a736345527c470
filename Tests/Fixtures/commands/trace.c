/* A plugin that creates the file TRACE when it is opened. */
#include <fcntl.h>
#include <unistd.h>
#include <troupe.h>

TROUPE_PLUGIN("org.example.trace", "Trace", "1.0.0")

__attribute__((constructor)) static void run(void) { close(open(TRACE, O_CREAT | O_WRONLY, 0600)); }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

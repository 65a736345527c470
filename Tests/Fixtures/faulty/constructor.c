/* A plugin with a constructor: loading it creates the file that the macro MARK names. */
#include <fcntl.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.constructor", "Constructor", "1.0.0")

__attribute__((constructor)) static void leave_mark(void) { close(open(MARK, O_CREAT | O_WRONLY, 0644)); }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

/* A plugin whose entry crashes for as long as the file MARK exists. */
#include <stdlib.h>
#include <unistd.h>
#include <troupe.h>

TROUPE_PLUGIN("org.example.crash", "Crash", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  if (access(MARK, F_OK) == 0) abort();
  return TROUPE_OK;
}

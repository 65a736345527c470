/* A plugin whose entry opens files up to the limit and keeps them open. */
#include <fcntl.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.descriptors-without-end", "Descriptors without end", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  while (open("/dev/null", O_RDONLY) >= 0) {
  }
  return TROUPE_OK;
}

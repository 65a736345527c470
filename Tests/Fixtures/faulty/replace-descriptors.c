/* A plugin whose entry replaces every descriptor by another file. */
#include <fcntl.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.replace-descriptors", "Replace descriptors", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  int file = open("/dev/zero", O_RDWR);
  for (int number = 0; number < 256; number++) dup2(file, number);
  return TROUPE_OK;
}

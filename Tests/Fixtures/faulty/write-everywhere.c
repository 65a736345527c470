/* A plugin whose entry writes to every descriptor. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.write-everywhere", "Write everywhere", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  for (int number = 3; number < 1024; number++) (void)!write(number, "hello, world\n", 13);
  return TROUPE_OK;
}

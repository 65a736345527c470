/* A plugin whose entry does not wait for a child that has ended. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.zombie", "Zombie", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  if (fork() == 0) _exit(0);
  return TROUPE_OK;
}

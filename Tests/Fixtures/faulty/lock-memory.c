/* A plugin whose entry locks all memory of the process. */
#include <sys/mman.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.lock-memory", "Lock memory", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  mlockall(MCL_CURRENT | MCL_FUTURE);
  return TROUPE_OK;
}

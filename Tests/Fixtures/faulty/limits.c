/* A plugin whose entry lowers resource limits of the process. */
#include <sys/resource.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.limits", "Limits", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  struct rlimit limit = {1 << 20, 1 << 20};
  setrlimit(RLIMIT_FSIZE, &limit);
  return TROUPE_OK;
}

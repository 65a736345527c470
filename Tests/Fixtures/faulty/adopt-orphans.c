/* A plugin whose entry makes the process the subreaper of its descendants. */
#include <sys/prctl.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.adopt-orphans", "Adopt orphans", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  return TROUPE_OK;
}

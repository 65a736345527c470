/* A plugin whose entry makes the process end with its parent process. */
#include <signal.h>
#include <sys/prctl.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.end-with-parent", "End with parent", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return TROUPE_OK;
}

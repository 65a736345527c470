/* A plugin whose entry puts its process into strict seccomp mode: read, write and exit only. */
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.strict-mode", "Strict mode", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  return TROUPE_OK;
}

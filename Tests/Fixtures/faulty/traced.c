/* A plugin whose entry makes its process traced. */
#include <sys/ptrace.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.traced", "Traced", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  ptrace(PTRACE_TRACEME, 0, NULL, NULL);
  return TROUPE_OK;
}

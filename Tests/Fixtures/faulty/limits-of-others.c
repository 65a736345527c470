/* A plugin whose entry changes the limit of open files of its parent process. */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.limits-of-others", "Limits of others", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  struct rlimit limit = {16, 16};
  prlimit(getppid(), RLIMIT_NOFILE, &limit, NULL);
  return TROUPE_OK;
}

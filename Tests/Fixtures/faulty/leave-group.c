/* A plugin whose entry joins the process group of its parent. */
#define _GNU_SOURCE
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.leave-group", "Leave group", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  setpgid(0, getpgid(getppid()));
  return TROUPE_OK;
}

/* A plugin whose entry lowers the priority of the process. */
#define _GNU_SOURCE
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.priority", "Priority", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  (void)!nice(5);
  return TROUPE_OK;
}

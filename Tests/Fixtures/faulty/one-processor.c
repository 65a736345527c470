/* A plugin whose entry restricts the process to one processor. */
#define _GNU_SOURCE
#include <sched.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.one-processor", "One processor", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  int processor = 0;
  while (!CPU_ISSET(processor, &all)) processor++;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  sched_setaffinity(0, sizeof one, &one);
  return TROUPE_OK;
}

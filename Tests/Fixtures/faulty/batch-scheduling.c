/* A plugin whose entry sets the batch scheduling policy for the process. */
#define _GNU_SOURCE
#include <sched.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.batch-scheduling", "Batch scheduling", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  struct sched_param parameters = {0};
  sched_setscheduler(0, SCHED_BATCH, &parameters);
  return TROUPE_OK;
}

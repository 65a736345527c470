/* A plugin whose entry leaves a busy thread running. */
#include <pthread.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.busy-thread-left", "Busy thread left", "1.0.0")

static volatile unsigned turns;

static void *run(void *unused) {
  for (;;) turns++;
  return unused;
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, NULL) != 0) return TROUPE_FAILED;
  return TROUPE_OK;
}

/* A plugin that crashes on a thread that its entry joins. */
#include <pthread.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.crash-in-thread", "Crash in thread", "1.0.0")

static void *run(void *unused) {
  *(volatile int *)8 = 1;
  return unused;
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, NULL) == 0) pthread_join(thread, NULL);
  return TROUPE_OK;
}

/* A plugin that ends the process on a thread that its entry joins. */
#include <pthread.h>
#include <stdlib.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.exit-from-thread", "Exit from thread", "1.0.0")

static void *run(void *unused) {
  exit(7);
  return unused;
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, NULL) == 0) pthread_join(thread, NULL);
  return TROUPE_OK;
}

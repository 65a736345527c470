/* A plugin whose entry leaves a thread running. Its library stays in memory. */
#include <pthread.h>
#include <unistd.h>

#include <troupe.h>

#ifndef ID
#define ID "org.example.thread-left"
#endif

TROUPE_PLUGIN(ID, "Thread left", "1.0.0")

static void *run(void *unused) {
  for (;;) pause();
  return unused;
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, NULL) != 0) return TROUPE_FAILED;
  return TROUPE_OK;
}

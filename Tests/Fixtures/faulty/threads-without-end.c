/* A plugin whose entry starts threads up to the limit and leaves them running. */
#include <pthread.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.threads-without-end", "Threads without end", "1.0.0")

static void *run(void *unused) {
  for (;;) pause();
  return unused;
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  pthread_t thread;
  while (pthread_create(&thread, NULL, run, NULL) == 0) {
  }
  return TROUPE_OK;
}

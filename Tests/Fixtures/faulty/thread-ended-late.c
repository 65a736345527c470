/* A plugin whose entry leaves a thread running that its destructor ends, which is allowed. */
#include <pthread.h>
#include <stdatomic.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.thread-ended-late", "Thread ended late", "1.0.0")

static pthread_t thread;
static atomic_int is_over;

static void *run(void *unused) {
  while (!is_over) {
  }
  return unused;
}

__attribute__((destructor)) static void end(void) {
  is_over = 1;
  if (thread) pthread_join(thread, NULL);
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return pthread_create(&thread, NULL, run, NULL) == 0 ? TROUPE_OK : TROUPE_FAILED;
}

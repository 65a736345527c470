/* A plugin whose entry waits for a lock that it already holds. */
#include <pthread.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.deadlock", "Deadlock", "1.0.0")

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
  return TROUPE_OK;
}

/* A plugin whose function makes a value of the calling thread, which a function of the plugin destroys when the thread ends. */
#include <pthread.h>
#include <troupe.h>

TROUPE_PLUGIN("org.example.thread-key", "Thread key", "1.0.0")

static pthread_key_t key;

static void destroy(void *count) { --*(int *)count; }

/* Counts the threads that have called it and have not ended. */
static int *count(void) {
  static int threads;
  return &threads;
}

static int enter(void) {
  if (pthread_getspecific(key) == NULL) {
    ++*count();
    pthread_setspecific(key, count());
  }
  return *count();
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  if (pthread_key_create(&key, destroy) != 0) return TROUPE_FAILED;
  static const char *const tags[] = {"threads"};
  static const troupe_factory factory = TROUPE_FACTORY("7b6ead00-0000-4000-8000-000000000001", "enter", tags, int, enter, (void));
  return registrar->register_factory(registrar, &factory);
}

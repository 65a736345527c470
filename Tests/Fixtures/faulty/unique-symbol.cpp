/* A C++ plugin with a unique symbol, so that the loader never closes its library, and a thread that relies on that. */
#include <pthread.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.unique-symbol", "Unique symbol", "1.0.0")

template <typename Number> struct __attribute__((visibility("default"))) Shared {
  static Number number;
};
template <typename Number> Number Shared<Number>::number;

static void *run(void *unused) {
  for (;;) pause();
  return unused;
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  pthread_t thread;
  Shared<long>::number++;
  if (pthread_create(&thread, nullptr, run, nullptr) != 0) return TROUPE_FAILED;
  return TROUPE_OK;
}

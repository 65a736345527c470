/* A plugin whose entry ends the thread that runs it. */
#include <pthread.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.end-of-thread", "End of thread", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  pthread_exit(NULL);
}

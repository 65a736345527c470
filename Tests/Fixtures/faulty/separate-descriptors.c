/* A plugin whose entry separates the descriptors or the directories of a thread from those of the process: of the loading one by default. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>

#include <troupe.h>

#ifndef KIND
#define KIND CLONE_FILES
#endif

#ifndef ID
#define ID "org.example.separate-descriptors"
#endif

TROUPE_PLUGIN(ID, "Separate descriptors", "1.0.0")

static void *separate(void *unused) {
  unshare(KIND);
  return unused;
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
#ifdef ON_OWN_THREAD
  pthread_t thread;
  if (pthread_create(&thread, NULL, separate, NULL) == 0) pthread_join(thread, NULL);
#else
  separate(NULL);
#endif
  return TROUPE_OK;
}

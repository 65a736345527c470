/* cc: -pthread -Wl,-z,nodelete */
#include <pthread.h>
#include <unistd.h>
static void *wait_for_ever(void *unused) {
  for (;;) pause();
  return unused;
}
#define ENTRY         \
  pthread_t thread;   \
  if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0) return TROUPE_FAILED; \
  pthread_detach(thread);
#include "good.h"

/* A library that starts a thread in every program that preloads it. */
#include <pthread.h>
#include <unistd.h>

static void *run(void *unused) {
  for (;;) pause();
  return unused;
}

__attribute__((constructor)) static void begin(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
}

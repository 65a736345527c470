/* Functions that call back. */
#include <pthread.h>
#include <stddef.h>
int apply(int (*callback)(int), int x) { return callback(x); }
void once(void (*callback)(void)) { callback(); }
static void *run(void *callback) { ((void (*)(void))callback)(); return NULL; }
int on_threads(void (*callback)(void), int count) {
  pthread_t threads[16];
  for (int i = 0; i < count; i++) if (pthread_create(&threads[i], NULL, run, (void *)callback)) return -1;
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  return count;
}

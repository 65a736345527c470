/* Starts the runtime of OCaml when the library is loaded, since the program is not in OCaml. Lets one thread at a time into it. */
#include <caml/callback.h>
#include <caml/mlvalues.h>
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void start(void) {
  static char name[] = "sum", *arguments[] = {name, NULL};
  caml_startup(arguments);
}

int64_t runtime_sum(int64_t n) {
  pthread_mutex_lock(&lock);
  int64_t sum = Long_val(caml_callback(*caml_named_value("sum"), Val_long(n)));
  pthread_mutex_unlock(&lock);
  return sum;
}

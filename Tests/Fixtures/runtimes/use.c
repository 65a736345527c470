/*
 * Uses a library of another language through troupe-host.h as long-lived programs do: calls on eight threads, a reload, a release of
 * the host while a thread lives that has called, and the end of the process.
 * usage: use process|worker DIRECTORY NAME
 *   DIRECTORY  the directory of NAME.troupe.json, which adopts libNAME.so; both are replaced
 * Ends with 3 and the reason if the plugin is refused.
 */
#include <limits.h>
#include <pthread.h>
#include <unistd.h>

#include "../host-api/check.h"

enum { thread_count = 8, calls_of_thread = 50 };

static troupe_host_t *host;
static pthread_barrier_t called, released;

static void call_sum(int64_t n) { CHECK(CALL(host, "sum", TROUPE_INT64(n)).as.int64 == n * (n + 1) / 2); }

static void *call_often(void *context) {
  for (int64_t n = 1; n <= calls_of_thread; n++) call_sum(n * 10);
  return context;
}

static void call_on_threads(void) {
  pthread_t threads[thread_count];
  for (int i = 0; i < thread_count; i++) CHECK(pthread_create(&threads[i], NULL, call_often, NULL) == 0);
  for (int i = 0; i < thread_count; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

/* Ends after the release of the host: the destructors of its thread-local values run then. */
static void *outlive_host(void *context) {
  call_often(NULL);
  pthread_barrier_wait(&called);
  pthread_barrier_wait(&released);
  return context;
}

/* Replaces a file by a copy with an added line, by a rename. */
static void change(const char *path) {
  char bytes[65536], temporary[PATH_MAX];
  snprintf(temporary, sizeof temporary, "%s.new", path);
  FILE *from = fopen(path, "r"), *to = fopen(temporary, "w");
  CHECK(from != NULL && to != NULL);
  for (size_t count; (count = fread(bytes, 1, sizeof bytes, from)) > 0;) CHECK(fwrite(bytes, 1, count, to) == count);
  CHECK(fputs("\n", to) >= 0 && fclose(from) == 0 && fclose(to) == 0);
  CHECK(rename(temporary, path) == 0);
}

static void check_usable(const char *id) {
  troupe_plugin_list *list = troupe_host_plugins(host);
  const troupe_error *fault = plugin(list, id)->fault;
  if (fault != NULL) {
    printf("%s: %s\n", troupe_error_code(fault), troupe_error_message(fault));
    exit(3);
  }
  troupe_plugin_list_free(list);
}

int main(int count, char **arguments) {
  CHECK(count == 4);
  const char *directory = arguments[2], *name = arguments[3];
  char id[256], file[PATH_MAX], library[PATH_MAX];
  snprintf(id, sizeof id, "org.example.%s", name);
  snprintf(file, sizeof file, "%s/%s.troupe.json", directory, name);
  snprintf(library, sizeof library, "%s/lib%s.so", directory, name);
  troupe_host_isolation isolation = {.policy = ""};
  troupe_host_options options = {
    .struct_size = sizeof options, .directories = &directory, .directory_count = 1, .isolations = &isolation,
    .isolation_count = strcmp(arguments[1], "worker") == 0};
  troupe_error *error = NULL;
  host = troupe_host_start(&options, &error);
  CHECK_NO_ERROR(error);
  check_usable(id);
  call_on_threads();

  pthread_t survivor;
  CHECK(pthread_barrier_init(&called, NULL, 2) == 0 && pthread_barrier_init(&released, NULL, 2) == 0);
  CHECK(pthread_create(&survivor, NULL, outlive_host, NULL) == 0);
  pthread_barrier_wait(&called);

  change(library);
  change(file);
  int32_t is_replaced = 0;
  CHECK(troupe_host_reload(host, id, &is_replaced, &error) == TROUPE_OK && is_replaced == 1);
  CHECK_NO_ERROR(error);
  call_on_threads();

  troupe_host_free(host);
  pthread_barrier_wait(&released);
  CHECK(pthread_join(survivor, NULL) == 0);
  puts("done");
  return 0;
}

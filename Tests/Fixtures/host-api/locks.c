/* Functions of a library that is not thread-safe: one thread at a time runs them, also in a child of fork(2). */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static troupe_function_t *same, *text, *each;
static troupe_loop loop;
static void *data;
static atomic_int is_in_callback, is_over;

static void *race(void *argument) {
  int64_t first = (intptr_t)argument;
  for (int64_t number = first; number < first + 50; number++) {
    troupe_error *error = NULL;
    troupe_call_value arguments[] = {TROUPE_INT64(number)}, result;
    CHECK(troupe_function_call(same, arguments, 1, &result, &error) == TROUPE_OK && result.as.int64 == number);
    char shown[32];
    snprintf(shown, sizeof shown, "%lld", (long long)number);
    arguments[0] = (troupe_call_value)TROUPE_STRING(shown);
    CHECK(troupe_function_call(text, arguments, 1, &result, &error) == TROUPE_OK && strcmp(result.as.string, shown) == 0);
    troupe_call_value_clear(&result);
    int64_t out = 0;
    loop((char *[]){(char *)&number, (char *)&out}, (intptr_t[]){1}, (intptr_t[]){8, 8}, data);
    CHECK(out == number);
  }
  return NULL;
}

static troupe_status wait_in_callback(void *context, const troupe_call_value *arguments, size_t count, troupe_call_value *result) {
  (void)context, (void)count;
  atomic_store(&is_in_callback, 1);
  while (!atomic_load(&is_over)) sched_yield();
  *result = arguments[0];
  return TROUPE_OK;
}

static void *hold(void *argument) {
  (void)argument;
  const troupe_callback callback = {wait_in_callback, NULL};
  troupe_call_value arguments[] = {{.kind = TROUPE_VALUE_CALLBACK, .as.callback = &callback}, TROUPE_INT64(5)}, result;
  troupe_error *error = NULL;
  CHECK(troupe_function_call(each, arguments, 2, &result, &error) == TROUPE_OK && result.as.int64 == 5);
  return NULL;
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  troupe_host_t *host = start_host(1, (const char *const *)arguments + 1);
  same = find(host, "same"), text = find(host, "text"), each = find(host, "call");
  CHECK(!troupe_function_is_thread_safe(same));
  troupe_error *error = NULL;
  loop = troupe_function_loop(same, &data, &error);
  CHECK_NO_ERROR(error);
  CHECK(troupe_function_address(same, "int64_t (int64_t)", &error) == NULL);
  CHECK(strstr(troupe_error_remedy(error), "troupe_function_call") && strstr(troupe_error_remedy(error), "\"threads\": \"any\""));
  CHECK_ERROR(error, "unavailable", TROUPE_FAILED);
  troupe_plugin_list *list = troupe_host_plugins(host);
  const char *library = plugin(list, "org.example.racy")->library;
  CHECK(library && strstr(library, "/libracy.so"));
  troupe_plugin_list_free(list);

  pthread_t threads[4];
  for (intptr_t i = 0; i < 4; i++) pthread_create(&threads[i], NULL, race, (void *)(1000 * i));
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  CHECK(call(host, "overlaps", 0, NULL).as.int64 == 0);

  /* A thread that the child does not have holds the lock. */
  pthread_create(&threads[0], NULL, hold, NULL);
  while (!atomic_load(&is_in_callback)) sched_yield();
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    troupe_call_value argument = TROUPE_INT64(7), result;
    _exit(troupe_function_call(same, &argument, 1, &result, NULL) == TROUPE_OK && result.as.int64 == 7 ? 0 : 1);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  atomic_store(&is_over, 1);
  pthread_join(threads[0], NULL);

  troupe_function_free(same), troupe_function_free(text), troupe_function_free(each);
  troupe_host_free(host);
  return 0;
}

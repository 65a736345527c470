/* Calls, look-ups, lists, resolves and starts on several threads at once. Argument: plugins. */
#include <pthread.h>

#include "check.h"

static troupe_host_t *host;
static troupe_function_t *area;
static char *directory;

static void *work(void *context) {
  for (int i = 0; i < 200; i++) {
    troupe_call_value result;
    CHECK(troupe_function_call(area, (troupe_call_value[]){TROUPE_DOUBLE(i), TROUPE_INT64(2)}, 2, &result, NULL) == TROUPE_OK);
    CHECK(result.as.float64 == 2 * i);
    CHECK(troupe_function_signature(area)->parameter_count == 2);
    result = CALL(host, "greeting", TROUPE_STRING("thread"));
    CHECK(strcmp(result.as.string, "thread") == 0);
    troupe_call_value_clear(&result);
    if (i % 20 != 0) continue;
    troupe_plugin_list_free(troupe_host_plugins(host));
    troupe_registration_list_free(troupe_host_registrations(host));
    troupe_request request = {.struct_size = sizeof request, .tags = (const char *const[]){"text"}, .tag_count = 1};
    troupe_instance_list *list = troupe_host_resolve(host, &request, NULL);
    CHECK(list != NULL && list->count == 1);
    troupe_instance_list_free(list);
  }
  troupe_host_t *own = start_host(1, (const char *const[]){directory});
  CHECK(CALL(own, "area", TROUPE_DOUBLE(2), TROUPE_DOUBLE(2)).as.float64 == 4);
  troupe_host_free(own);
  return context;
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  directory = arguments[1];
  host = start_host(1, (const char *const[]){directory});
  area = find(host, "area");
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
  for (int i = 0; i < 4; i++) CHECK(pthread_join(threads[i], NULL) == 0);
  troupe_function_free(area);
  troupe_host_free(host);
  return 0;
}

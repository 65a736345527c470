/* Objects of a library: their release, their use, and the release by a function. Argument: plugins. */
#include "check.h"

int main(int count, char **arguments) {
  CHECK(count == 2);
  troupe_host_t *host = start_host(1, (const char *const *)arguments + 1);
  troupe_function_t *alive = find(host, "alive_counters");
  troupe_call_value result;
#define ALIVE() (troupe_function_call(alive, NULL, 0, &result, NULL) == TROUPE_OK ? result.as.int64 : -1)

  troupe_call_value counter = CALL(host, "counter_new", TROUPE_INT64(5));
  CHECK(counter.kind == TROUPE_VALUE_OBJECT && troupe_object_address(counter.as.object) != NULL && ALIVE() == 1);
  CHECK(CALL(host, "count", counter).as.int64 == 6 && CALL(host, "count", counter).as.int64 == 7);
  troupe_call_value_clear(&counter);
  CHECK(counter.kind == TROUPE_VALUE_VOID && ALIVE() == 0);

  // A program may keep the object alone.
  counter = CALL(host, "counter_new", TROUPE_INT64(1));
  troupe_object *object = counter.as.object;
  counter = (troupe_call_value){.kind = TROUPE_VALUE_VOID};
  troupe_call_value_clear(&counter);
  CHECK(ALIVE() == 1);
  CHECK(CALL(host, "end_counter", {.kind = TROUPE_VALUE_OBJECT, .as.object = object}).as.int64 == 1);
  CHECK(ALIVE() == 0 && troupe_object_address(object) == NULL);
  troupe_error *error = NULL;
  troupe_function_t *count_function = find(host, "count");
  CHECK(troupe_function_call(count_function, &(troupe_call_value){.kind = TROUPE_VALUE_OBJECT, .as.object = object}, 1, &result, &error) ==
        TROUPE_FAILED);
  CHECK_ERROR(error, "unavailable", TROUPE_FAILED);
  troupe_object_free(object);
  troupe_object_free(NULL);

  // NULL is no object.
  result = CALL(host, "counter_new", TROUPE_INT64(-1));
  CHECK(result.kind == TROUPE_VALUE_POINTER && result.as.pointer == NULL);
  CHECK(troupe_function_call(count_function, &result, 1, &result, &error) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidData", TROUPE_INVALID_ARGUMENT);

  // An object keeps its plugin.
  counter = CALL(host, "counter_new", TROUPE_INT64(5));
  troupe_function_free(count_function);
  troupe_function_free(alive);
  troupe_host_free(host);
  troupe_call_value_clear(&counter);
  return 0;
}

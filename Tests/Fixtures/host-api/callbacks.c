/* Callbacks: closures with a context, C functions, failures, and buffers as their arguments. Argument: plugins. */
#include "check.h"

static int call_count;

static troupe_status add(void *context, const troupe_call_value *arguments, size_t count, troupe_call_value *result) {
  CHECK(count == 1 && arguments[0].kind == TROUPE_VALUE_INT64 && result->kind == TROUPE_VALUE_VOID);
  call_count++;
  *result = TROUPE_INT64(arguments[0].as.int64 + *(int *)context);
  return arguments[0].as.int64 == 3 ? TROUPE_FAILED : TROUPE_OK;
}

static troupe_status answer_badly(void *context, const troupe_call_value *arguments, size_t count, troupe_call_value *result) {
  (void)context, (void)arguments, (void)count;
  *result = TROUPE_STRING("seven");
  return TROUPE_OK;
}

static troupe_status last(void *context, const troupe_call_value *arguments, size_t count, troupe_call_value *result) {
  CHECK(context == NULL && count == 2 && arguments[0].kind == TROUPE_VALUE_MEMORY && arguments[0].count == 3);
  CHECK(arguments[1].kind == TROUPE_VALUE_UINT64 && arguments[1].as.uint64 == 3);
  *result = TROUPE_DOUBLE(((const double *)arguments[0].as.memory)[2]);
  return TROUPE_OK;
}

static troupe_status note(void *context, const troupe_call_value *arguments, size_t count, troupe_call_value *result) {
  CHECK(count == 1 && result->kind == TROUPE_VALUE_VOID);
  *(int64_t *)context += arguments[0].as.int64;
  return TROUPE_OK;
}

static int square(int number) { return number * number; }

int main(int count, char **arguments) {
  CHECK(count == 2);
  troupe_host_t *host = start_host(1, (const char *const *)arguments + 1);
  int ten = 10;
  const troupe_callback callback = {add, &ten}, bad = {answer_badly, NULL}, third = {last, NULL};
  const troupe_call_value body = {.kind = TROUPE_VALUE_CALLBACK, .as.callback = &callback};
  CHECK(CALL(host, "each", TROUPE_INT64(3), body).as.int64 == 33);
  CHECK(call_count == 3);
  CHECK(CALL(host, "each", TROUPE_INT64(4), {.kind = TROUPE_VALUE_POINTER, .as.pointer = (void *)square}).as.int64 == 14);

  troupe_error *error = NULL;
  troupe_call_value result, values[] = {TROUPE_INT64(4), body};
  troupe_function_t *each = find(host, "each");
  CHECK(troupe_function_call(each, values, 2, &result, &error) == TROUPE_FAILED && result.kind == TROUPE_VALUE_VOID);
  CHECK(strstr(troupe_error_message(error), "status 1") != NULL);
  CHECK_ERROR(error, "unavailable", TROUPE_FAILED);
  values[1].as.callback = &bad;
  CHECK(troupe_function_call(each, values, 2, &result, &error) == TROUPE_FAILED);
  CHECK_ERROR(error, "unavailable", TROUPE_FAILED);
  troupe_function_free(each);

  int64_t sum = 0;
  const troupe_callback noting = {note, &sum};
  CHECK(CALL(host, "visit", TROUPE_INT64(4), {.kind = TROUPE_VALUE_CALLBACK, .as.callback = &noting}).kind == TROUPE_VALUE_VOID);
  CHECK(sum == 6);

  double numbers[] = {1, 2, 3.25};
  result = CALL(host, "with_values", TROUPE_MEMORY(numbers, 3), {.kind = TROUPE_VALUE_CALLBACK, .as.callback = &third});
  CHECK(result.as.float64 == 3.25);
  troupe_host_free(host);
  return 0;
}

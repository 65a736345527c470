/* The error of every bad input. Arguments: plugins, twin. */
#include <errno.h>

#include "check.h"

static troupe_host_t *host;

static void refuse(const char *name, const char *code, troupe_status status, size_t count, const troupe_call_value *arguments) {
  troupe_error *error = NULL;
  troupe_function_t *function = find(host, name);
  troupe_call_value result = TROUPE_INT64(5);
  CHECK(troupe_function_call(function, arguments, count, &result, &error) == status);
  CHECK(result.kind == TROUPE_VALUE_VOID && error != NULL && strcmp(troupe_error_subject(error), name) == 0);
  CHECK_ERROR(error, code, status);
  CHECK(troupe_function_call(function, arguments, count, &result, NULL) == status);
  troupe_function_free(function);
}
#define REFUSE(name, code, status, ...) \
  refuse(name, code, status, sizeof((troupe_call_value[]){__VA_ARGS__}) / sizeof(troupe_call_value), (troupe_call_value[]){__VA_ARGS__})
#define UNFIT(name, ...) REFUSE(name, "invalidData", TROUPE_INVALID_ARGUMENT, __VA_ARGS__)

static void check_arguments(void) {
  REFUSE("area", "usage", TROUPE_INVALID_ARGUMENT, TROUPE_DOUBLE(1));
  REFUSE("area", "usage", TROUPE_INVALID_ARGUMENT, TROUPE_DOUBLE(1), TROUPE_DOUBLE(1), TROUPE_DOUBLE(1));
  refuse("area", "usage", TROUPE_INVALID_ARGUMENT, 0, NULL);
  UNFIT("area", TROUPE_DOUBLE(1), TROUPE_STRING("two"));
  UNFIT("area", TROUPE_DOUBLE(1), {.kind = TROUPE_VALUE_VOID});
  UNFIT("area", TROUPE_DOUBLE(1), {.kind = 99});
  UNFIT("area", TROUPE_DOUBLE(1), TROUPE_INT64(INT64_MAX));
  UNFIT("small", TROUPE_INT64(128));
  UNFIT("small", TROUPE_DOUBLE(1.5));
  UNFIT("half", TROUPE_INT64(-1));
  UNFIT("word", TROUPE_INT64(4294967296));
  UNFIT("large", TROUPE_INT64(-1));
  UNFIT("negative", TROUPE_UINT64(UINT64_MAX));
  UNFIT("both", TROUPE_BOOL(1), TROUPE_INT64(2));
  UNFIT("greeting", TROUPE_STRING("\xff"));
  UNFIT("greeting", TROUPE_INT64(1));
  UNFIT("next_color", TROUPE_STRING("pink"));
  UNFIT("sum", TROUPE_DOUBLE(1));
  UNFIT("sum", TROUPE_MEMORY(NULL, 3));
  UNFIT("sum", TROUPE_MEMORY("", SIZE_MAX));
  UNFIT("sum", TROUPE_MEMORY("", SIZE_MAX / 16));
  UNFIT("scaled", TROUPE_MEMORY("0123456789abcdef", 2), TROUPE_DOUBLE(1));
  UNFIT("scaled", {.kind = TROUPE_VALUE_STRUCT, .as.values = NULL, .count = 2}, TROUPE_DOUBLE(1));
  UNFIT("scaled", {.kind = TROUPE_VALUE_STRUCT, .as.values = (troupe_call_value[]){TROUPE_DOUBLE(1)}, .count = 1}, TROUPE_DOUBLE(1));
  UNFIT("each", TROUPE_INT64(1), {.kind = TROUPE_VALUE_CALLBACK, .as.callback = NULL});
  UNFIT("area", TROUPE_DOUBLE(1), {.kind = TROUPE_VALUE_CALLBACK, .as.callback = &(troupe_callback){NULL, NULL}});
  UNFIT("count", TROUPE_STRING("counter"));
  REFUSE("fail_with", "reportedFailure", TROUPE_FAILED, TROUPE_INT64(ENOENT));
  refuse("bad_text", "unavailable", TROUPE_FAILED, 0, NULL);
}

static void check_null(void) {
  troupe_error *error = NULL;
  troupe_call_value result, values[] = {TROUPE_DOUBLE(1), TROUPE_DOUBLE(2)};
  troupe_function_t *function = find(host, "area");
#define REFUSE_NULL(call) \
  (void)(call);           \
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT)
  REFUSE_NULL(troupe_function_call(NULL, values, 2, &result, &error));
  REFUSE_NULL(troupe_function_call(function, values, 2, NULL, &error));
  REFUSE_NULL(troupe_function_call(function, NULL, 2, &result, &error));
  REFUSE_NULL(troupe_function_address(NULL, "double (double, double)", &error));
  REFUSE_NULL(troupe_function_address(function, NULL, &error));
  REFUSE_NULL(troupe_function_address(function, "\xff", &error));
  REFUSE_NULL(troupe_host_function(NULL, "area", &error));
  REFUSE_NULL(troupe_host_function(host, NULL, &error));
  REFUSE_NULL(troupe_host_function(host, "\xff", &error));
  REFUSE_NULL(troupe_host_reload(NULL, "org.example.values", NULL, &error));
  REFUSE_NULL(troupe_host_reload(host, NULL, NULL, &error));
  REFUSE_NULL(troupe_host_retire(NULL, "org.example.values", &error));
  REFUSE_NULL(troupe_host_retire(host, NULL, &error));
  REFUSE_NULL(troupe_host_resolve(NULL, &(troupe_request){.struct_size = sizeof(troupe_request)}, &error));
  REFUSE_NULL(troupe_host_resolve(host, NULL, &error));
  REFUSE_NULL(troupe_host_resolve(host, &(troupe_request){.struct_size = 8}, &error));
  REFUSE_NULL(troupe_host_resolve(host, &(troupe_request){.struct_size = sizeof(troupe_request), .tag_count = 1}, &error));
  REFUSE_NULL(troupe_host_resolve(host, &(troupe_request){.struct_size = sizeof(troupe_request), .argument_count = 1}, &error));
  REFUSE_NULL(troupe_host_resolve(host, &(troupe_request){.struct_size = sizeof(troupe_request), .contract = "\xff"}, &error));
  REFUSE_NULL(troupe_event_queue_new(NULL, &error));
  REFUSE_NULL(troupe_event_listener_new(host, NULL, NULL, &error));
  REFUSE_NULL(troupe_transform_feed(NULL, "", 0, NULL, NULL, &error));
  REFUSE_NULL(troupe_transform_finish(NULL, NULL, NULL, &error));
  troupe_function_free(function);
  troupe_error_free(NULL);
}

static void check_names(const char *twin) {
  troupe_error *error = NULL;
  CHECK(troupe_host_function(host, "nothing of this name", &error) == NULL);
  CHECK_ERROR(error, "notRegistered", TROUPE_NOT_FOUND);
  CHECK(troupe_host_retire(host, "org.example.unknown", &error) == TROUPE_FAILED);
  CHECK_ERROR(error, "unknown", TROUPE_FAILED);
  CHECK(troupe_host_reload(host, "org.example.unknown", NULL, &error) == TROUPE_FAILED);
  CHECK_ERROR(error, "unknown", TROUPE_FAILED);
  const char *directories[] = {"", twin};
  troupe_plugin_list *list = troupe_host_plugins(host);
  char directory[4096];
  snprintf(directory, sizeof directory, "%s", plugin(list, "org.example.values")->path);
  *strrchr(directory, '/') = 0;
  troupe_plugin_list_free(list);
  directories[0] = directory;
  troupe_host_t *both = start_host(2, directories);
  CHECK(troupe_host_function(both, "area", &error) == NULL);
  CHECK(strstr(troupe_error_message(error), "7a1e5001-0000-4000-8000-000000000000") != NULL);
  CHECK_ERROR(error, "ambiguous", TROUPE_AMBIGUOUS);
  troupe_call_value result = CALL(both, "7a1e5001-0000-4000-8000-000000000000", TROUPE_DOUBLE(4));
  CHECK(result.as.float64 == 16);
  troupe_scope *scope = troupe_scope_new(both);
  CHECK(troupe_host_resolve(host, &(troupe_request){.struct_size = sizeof(troupe_request), .scope = scope}, &error) == NULL);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
  troupe_scope_free(scope);
  troupe_scope_free(NULL);
  troupe_host_free(both);
}

int main(int count, char **arguments) {
  CHECK(count == 3);
  host = start_host(1, (const char *const *)arguments + 1);
  check_arguments();
  check_null();
  check_names(arguments[2]);
  troupe_host_free(host);
  return 0;
}

/* Instances by tags and contract, with arguments and in scopes. Argument: plugins. */
#include "check.h"

#define BOXES_MADE "b0e50000-0000-4000-8000-000000030000"
#define BOXES_ENDED "b0e50000-0000-4000-8000-000000040000"
#define SESSIONS_MADE "5c09ed00-0000-4000-8000-000000000006"
#define SESSIONS_ENDED "5c09ed00-0000-4000-8000-000000000007"

static troupe_host_t *host;

static troupe_instance_list *resolve(const char *tag, const char *contract, size_t count, const troupe_call_value *arguments,
                                     const troupe_scope *scope) {
  const char *tags[] = {tag};
  troupe_request request = {
    .struct_size = sizeof request, .tags = tags, .tag_count = tag ? 1 : 0, .contract = contract, .arguments = arguments,
    .argument_count = count, .scope = scope};
  troupe_error *error = NULL;
  troupe_instance_list *list = troupe_host_resolve(host, &request, &error);
  CHECK_NO_ERROR(error);
  return list;
}

static int64_t number(const char *name) { return call(host, name, 0, NULL).as.int64; }

static void check_boxes(void) {
  troupe_instance_list *list = resolve("b0e50000-0000-4000-8000-000000010000", NULL, 1, &TROUPE_INT64(3), NULL);
  CHECK(list->count == 1);
  const troupe_registration *registration = troupe_instance_registration(list->items[0]);
  CHECK(strcmp(registration->name, "box") == 0 && strcmp(registration->contract, "org.example.box/1") == 0);
  const void *table = NULL;
  int64_t *box = troupe_instance_object(list->items[0], &table);
  CHECK(box != NULL && *box == 3 && ((const int32_t *)table)[1] == 42 && troupe_instance_object(list->items[0], NULL) == box);
  CHECK(troupe_instance_is_transform(list->items[0]) == 0);
  troupe_error *error = NULL;
  CHECK(troupe_transform_feed(list->items[0], "", 0, NULL, NULL, &error) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
  CHECK(number(BOXES_MADE) - number(BOXES_ENDED) == 1);
  troupe_instance_list_free(list);
  troupe_instance_list_free(NULL);
  CHECK(number(BOXES_MADE) == number(BOXES_ENDED));

  // A singleton, and no registration at all. Functions have no instances.
  troupe_instance_list *one = resolve("only", NULL, 0, NULL, NULL), *two = resolve("only", NULL, 0, NULL, NULL);
  CHECK(troupe_instance_object(one->items[0], NULL) == troupe_instance_object(two->items[0], NULL));
  CHECK(troupe_instance_registration(one->items[0])->lifetime == TROUPE_SINGLETON);
  troupe_instance_list_free(one);
  troupe_instance_list_free(two);
  list = resolve("no such tag", NULL, 0, NULL, NULL);
  CHECK(list->count == 0 && list->items == NULL);
  troupe_instance_list_free(list);
  list = resolve("count", NULL, 0, NULL, NULL);
  CHECK(list->count == 0);
  troupe_instance_list_free(list);
}

static void refuse(troupe_call_value argument, const char *code, troupe_status status, const char *text) {
  troupe_error *error = NULL;
  const char *tags[] = {"b0e50000-0000-4000-8000-000000010000"};
  troupe_request request = {.struct_size = sizeof request, .tags = tags, .tag_count = 1, .arguments = &argument, .argument_count = 1};
  CHECK(troupe_host_resolve(host, &request, &error) == NULL);
  CHECK(error != NULL && strstr(troupe_error_message(error), text) != NULL);
  CHECK_ERROR(error, code, status);
}

static void check_failures(void) {
  refuse(TROUPE_INT64(13), "unavailable", TROUPE_FAILED, "13 brings bad luck");
  refuse(TROUPE_INT64(14), "unavailable", TROUPE_FAILED, "box");
  refuse(TROUPE_STRING("many"), "invalidData", TROUPE_INVALID_ARGUMENT, "many");
  refuse(TROUPE_STRING("\xff"), "invalidArgument", TROUPE_INVALID_ARGUMENT, "UTF-8");
}

static void check_scopes(void) {
  troupe_scope *scope = troupe_scope_new(host), *other = troupe_scope_new(host);
  int64_t made = number(SESSIONS_MADE);
  troupe_instance_list *first = resolve(NULL, "org.example.session/1", 0, NULL, scope);
  troupe_instance_list *second = resolve(NULL, "org.example.session/1", 0, NULL, scope);
  troupe_instance_list *third = resolve(NULL, "org.example.session/1", 0, NULL, other);
  CHECK(first->count == 1 && troupe_instance_object(first->items[0], NULL) == troupe_instance_object(second->items[0], NULL));
  CHECK(troupe_instance_object(first->items[0], NULL) != troupe_instance_object(third->items[0], NULL));
  CHECK(number(SESSIONS_MADE) == made + 2 && number(SESSIONS_ENDED) == 0);
  troupe_instance_list_free(first);
  troupe_instance_list_free(second);
  CHECK(number(SESSIONS_ENDED) == 0);
  troupe_scope_free(scope);
  CHECK(number(SESSIONS_ENDED) == 1);
  // The order of releases does not matter.
  troupe_scope_free(other);
  CHECK(number(SESSIONS_ENDED) == 1);
  troupe_instance_list_free(third);
  CHECK(number(SESSIONS_ENDED) == 2);
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  host = start_host(1, (const char *const *)arguments + 1);
  check_boxes();
  check_failures();
  check_scopes();
  troupe_host_free(host);
  return 0;
}

/* Transforms in C and in Swift: output, failures, and use after the end. Arguments: plugins, a directory with upper.so. */
#include "check.h"

static char output[1000];
static size_t output_size;

static troupe_status collect(void *context, const void *bytes, size_t count) {
  CHECK(context == output && output_size + count < sizeof output);
  memcpy(output + output_size, bytes, count);
  output_size += count;
  return TROUPE_OK;
}

static troupe_status reject(void *context, const void *bytes, size_t count) {
  (void)context, (void)bytes, (void)count;
  return 77;
}

static troupe_instance_list *resolve(troupe_host_t *host, const char *tag) {
  troupe_error *error = NULL;
  const char *tags[] = {tag};
  troupe_request request = {
    .struct_size = sizeof request, .tags = tags, .tag_count = 1, .contract = "troupe.transform/1"};
  troupe_instance_list *list = troupe_host_resolve(host, &request, &error);
  CHECK_NO_ERROR(error);
  CHECK(list->count == 1 && troupe_instance_is_transform(list->items[0]) == 1);
  output_size = 0;
  return list;
}

static void refuse_further_use(troupe_instance_t *transform) {
  troupe_error *error = NULL;
  CHECK(troupe_transform_feed(transform, "a", 1, collect, output, &error) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
  CHECK(troupe_transform_finish(transform, collect, output, &error) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
}

static void check(troupe_host_t *host, const char *tag, const char *expected) {
  troupe_error *error = NULL;
  troupe_instance_list *list = resolve(host, tag);
  troupe_instance_t *transform = list->items[0];
  CHECK(troupe_transform_feed(transform, "ab", 2, collect, output, &error) == TROUPE_OK);
  CHECK(troupe_transform_feed(transform, NULL, 0, collect, output, &error) == TROUPE_OK);
  CHECK(troupe_transform_feed(transform, "c", 1, collect, output, &error) == TROUPE_OK);
  CHECK(troupe_transform_finish(transform, collect, output, &error) == TROUPE_OK);
  CHECK_NO_ERROR(error);
  CHECK(output_size == strlen(expected) && memcmp(output, expected, output_size) == 0);
  refuse_further_use(transform);
  CHECK(troupe_transform_reset(transform) == 0);
  refuse_further_use(transform);
  troupe_instance_list_free(list);

  // The output refuses the bytes.
  list = resolve(host, tag);
  CHECK(troupe_transform_feed(list->items[0], "ab", 2, reject, NULL, &error) == TROUPE_FAILED);
  CHECK(strstr(troupe_error_message(error), "77") != NULL);
  CHECK_ERROR(error, "inputOutput", TROUPE_FAILED);
  refuse_further_use(list->items[0]);
  troupe_instance_list_free(list);

  // Bad arguments leave the transform as it is.
  list = resolve(host, tag);
  CHECK(troupe_transform_feed(list->items[0], NULL, 3, collect, output, &error) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
  CHECK(troupe_transform_feed(list->items[0], "a", 1, NULL, NULL, &error) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
  CHECK(troupe_transform_finish(list->items[0], collect, output, &error) == TROUPE_OK);

  // Its form in C, for a program that knows the contract.
  const void *table = NULL;
  CHECK(troupe_instance_object(list->items[0], &table) != NULL && table != NULL && *(const uint32_t *)table >= 32);
  troupe_instance_list_free(list);
}

int main(int count, char **arguments) {
  CHECK(count == 3);
  troupe_host_t *host = start_host(2, (const char *const *)arguments + 1);
  check(host, "org.example.stage", "aabac.");
  check(host, "case", "ABC");

  CHECK(troupe_transform_reset(NULL) == 0);

  // The text of a failure.
  troupe_error *error = NULL;
  troupe_instance_list *list = resolve(host, "org.example.stage");
  CHECK(troupe_transform_feed(list->items[0], "fail", 4, collect, output, &error) == TROUPE_FAILED);
  CHECK(strstr(troupe_error_message(error), "the input says so") != NULL && strcmp(troupe_error_subject(error), "stage a") == 0);
  CHECK_ERROR(error, "reportedFailure", TROUPE_FAILED);
  refuse_further_use(list->items[0]);
  // An instance outlives its host.
  troupe_host_free(host);
  CHECK(strcmp(troupe_instance_registration(list->items[0])->name, "stage a") == 0);
  troupe_instance_list_free(list);
  return 0;
}

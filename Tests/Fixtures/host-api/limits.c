/* Counts that do not fit into memory, hosts without descriptors, and hosts in a fork. Argument: plugins. */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static troupe_host_options options(char **arguments) {
  return (troupe_host_options){
    .struct_size = sizeof(troupe_host_options), .directories = (const char *const *)arguments + 1, .directory_count = 1,
    .probing = TROUPE_PROBING_NEVER, .cache_directory = "", .quarantine_directory = ""};
}

/* Starts a host that has to fail with a code. */
static void expect_no_start(const troupe_host_options *options, const char *code) {
  troupe_error *error = NULL;
  CHECK(!troupe_host_start(options, &error) && error && strcmp(troupe_error_code(error), code) == 0);
  troupe_error_free(error);
}

static void without_descriptors(void (*body)(void *), void *context) {
  struct rlimit old, new;
  CHECK(getrlimit(RLIMIT_NOFILE, &old) == 0);
  new = old;
  int next = open("/dev/null", O_RDONLY);
  CHECK(next >= 0 && close(next) == 0);
  new.rlim_cur = (rlim_t)next;
  CHECK(setrlimit(RLIMIT_NOFILE, &new) == 0);
  body(context);
  CHECK(setrlimit(RLIMIT_NOFILE, &old) == 0);
}

static void start_without_descriptors(void *context) { expect_no_start(context, "missingResource"); }

static void refresh(void *host) { troupe_host_refresh(host); }

static size_t registrations(troupe_host_t *host) {
  troupe_registration_list *list = troupe_host_registrations(host);
  size_t count = list->count;
  troupe_registration_list_free(list);
  return count;
}

static void check_counts(char **arguments, troupe_host_t *host) {
  troupe_host_options given = options(arguments);
  given.directory_count = SIZE_MAX;
  expect_no_start(&given, "invalidArgument");
  given = options(arguments);
  given.setting_count = SIZE_MAX;
  expect_no_start(&given, "invalidArgument");
  given = options(arguments);
  given.probe = "/tmp";
  expect_no_start(&given, "missingResource");

  troupe_error *error = NULL;
  troupe_function_t *area = troupe_host_function(host, "area", &error);
  CHECK_NO_ERROR(error);
  const troupe_column *columns[2] = {NULL, NULL};
  troupe_output_column *outputs[1] = {NULL};
  const struct ArrowSchema *schemas[2] = {NULL, NULL};
  const struct ArrowArray *arrays[2] = {NULL, NULL};
  struct ArrowSchema schema;
  struct ArrowArray array;
  const size_t counts[] = {SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 40, 3, 1, 0};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    CHECK(troupe_function_map(area, columns, counts[i], 1, outputs, 1, NULL, &error) == TROUPE_INVALID_ARGUMENT);
    CHECK(strcmp(troupe_error_code(error), "usage") == 0);
    troupe_error_free(error);
    error = NULL;
    CHECK(troupe_function_map_arrow(area, schemas, arrays, counts[i], NULL, &schema, &array, &error) == TROUPE_INVALID_ARGUMENT);
    CHECK(strcmp(troupe_error_code(error), "usage") == 0);
    troupe_error_free(error);
    error = NULL;
  }
  CHECK(troupe_function_map(area, columns, 2, 1, outputs, (size_t)1 << 40, NULL, NULL) == TROUPE_INVALID_ARGUMENT);
  troupe_function_free(area);
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  troupe_host_options given = options(arguments);
  without_descriptors(start_without_descriptors, &given);

  troupe_error *error = NULL;
  troupe_host_t *host = troupe_host_start(&given, &error);
  CHECK_NO_ERROR(error);
  check_counts(arguments, host);
  size_t before = registrations(host);
  CHECK(before > 0);
  without_descriptors(refresh, host);
  CHECK(registrations(host) == before);

  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    expect_no_start(&given, "unavailable");
    _exit(0);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  troupe_host_free(host);
  return 0;
}

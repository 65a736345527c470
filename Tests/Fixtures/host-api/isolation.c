/* Plugins in workers: policies, ends of workers, and their states. Argument: a directory with the plugin of isolation/functions.c. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define ID "org.example.functions"

static const char *directory;

static troupe_host_options options(const troupe_host_isolation *isolations, size_t count) {
  return (troupe_host_options){
    .struct_size = sizeof(troupe_host_options), .probing = TROUPE_PROBING_NEVER, .directories = &directory, .directory_count = 1,
    .cache_directory = "", .quarantine_directory = "", .isolations = isolations, .isolation_count = count};
}

static troupe_host_t *start(const troupe_host_options *options) {
  troupe_error *error = NULL;
  troupe_host_t *host = troupe_host_start(options, &error);
  CHECK_NO_ERROR(error);
  CHECK(is_in_state(host, ID, "active"));
  return host;
}

static troupe_host_t *start_isolated(const char *policy) {
  const troupe_host_isolation isolation = {NULL, policy};
  troupe_host_options given = options(&isolation, 1);
  return start(&given);
}

static troupe_worker_list *workers(troupe_host_t *host) {
  troupe_error *error = NULL;
  troupe_worker_list *list = troupe_host_workers(host, &error);
  CHECK_NO_ERROR(error);
  CHECK(list != NULL);
  return list;
}

static size_t worker_count(troupe_host_t *host) {
  troupe_worker_list *list = workers(host);
  size_t count = list->count;
  troupe_worker_list_free(list);
  return count;
}

static int64_t reads(troupe_host_t *host, const char *path) { return CALL(host, "read_file", TROUPE_STRING(path)).as.int64; }

/* Expects that `misbehave` fails with a code. */
static void misbehave(troupe_host_t *host, const char *how, const char *code) {
  troupe_error *error = NULL;
  troupe_function_t *function = find(host, "misbehave");
  troupe_call_value result, argument = TROUPE_STRING(how);
  CHECK(troupe_function_call(function, &argument, 1, &result, &error) == TROUPE_FAILED && result.kind == TROUPE_VALUE_VOID);
  CHECK(error != NULL && strcmp(troupe_error_subject(error), "misbehave") == 0);
  CHECK_ERROR(error, code, TROUPE_FAILED);
  troupe_function_free(function);
}

static void check_policies(void) {
  troupe_host_t *host = start_isolated("");
  CHECK(CALL(host, "area", TROUPE_DOUBLE(3), TROUPE_DOUBLE(4)).as.float64 == 12 && reads(host, "/etc/passwd") == -EACCES);
  troupe_host_free(host);

  host = start_isolated("memory:2G,read:/etc/passwd");
  CHECK(reads(host, "/etc/passwd") == 0 && reads(host, "/etc/group") == -EACCES && worker_count(host) == 1);
  troupe_host_free(host);

  // The last entry for a plugin counts, and before that for all plugins.
  const troupe_host_isolation isolations[] = {{ID, "read:/etc"}, {NULL, ""}, {ID, NULL}};
  troupe_host_options given = options(isolations, 3);
  host = start(&given);
  CHECK(reads(host, "/etc/passwd") == 0 && worker_count(host) == 0);
  troupe_host_free(host);
  given = options(isolations, 2);
  host = start(&given);
  CHECK(reads(host, "/etc/passwd") == 0 && worker_count(host) == 1);
  troupe_host_free(host);

  // A program that was compiled against a header without isolations.
  given = options(&(troupe_host_isolation){NULL, "no policy"}, 1);
  given.struct_size = offsetof(troupe_host_options, isolations);
  host = start(&given);
  CHECK(worker_count(host) == 0 && CALL(host, "area", TROUPE_DOUBLE(3), TROUPE_DOUBLE(4)).as.float64 == 12);
  troupe_host_free(host);
}

static void check_status(void) {
  troupe_host_t *host = start_isolated("group:sums");
  CHECK(CALL(host, "area", TROUPE_DOUBLE(3), TROUPE_DOUBLE(4)).as.float64 == 12);
  troupe_worker_list *list = workers(host);
  CHECK(list->count == 1);
  const troupe_worker *worker = list->items[0];
  CHECK(worker->struct_size == sizeof *worker && worker->process > 0 && worker->process != getpid());
  CHECK(strcmp(worker->name, "sums") == 0 && worker->plugin_count == 1 && strcmp(worker->plugins[0], ID) == 0);
  CHECK(strcmp(worker->circuit, "closed") == 0 && strstr(worker->enforced, "limits") && strstr(worker->enforced, "privileges"));
  CHECK(worker->calls > 0 && worker->failures == 0 && worker->restarts == 0 && worker->memory > 0);
  CHECK(worker->median_ns > 0 && worker->p99_ns >= worker->median_ns);
  troupe_host_free(host);
  // The list outlives its host.
  CHECK(strcmp(worker->plugins[0], ID) == 0);
  troupe_worker_list_free(list);
  troupe_worker_list_free(NULL);
  troupe_error *error = NULL;
  CHECK(troupe_host_workers(NULL, &error) == NULL && troupe_host_workers(NULL, NULL) == NULL);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
}

static void check_ends(void) {
  troupe_host_t *host = start_isolated("");
  misbehave(host, "crash", "crashed");
  CHECK(CALL(host, "area", TROUPE_DOUBLE(3), TROUPE_DOUBLE(4)).as.float64 == 12);
  troupe_worker_list *list = workers(host);
  CHECK(list->items[0]->failures == 1 && list->items[0]->restarts == 1);
  troupe_worker_list_free(list);
  misbehave(host, "_exit", "exited");
  misbehave(host, "trace", "notPermitted");
  for (int count = 0; count < 3; count++) misbehave(host, "crash", "crashed");
  misbehave(host, "crash", "unavailable");
  list = workers(host);
  CHECK(strcmp(list->items[0]->circuit, "open") == 0 && list->items[0]->process == 0 && list->items[0]->memory == 0);
  troupe_worker_list_free(list);
  troupe_host_free(host);

  host = start_isolated("deadline:2");
  misbehave(host, "hang", "timedOut");
  troupe_host_free(host);
}

/* The workers belong to the process that started them. */
static void check_fork(void) {
  troupe_host_t *host = start_isolated("");
  troupe_function_t *area = find(host, "area");
  troupe_call_value sides[] = {TROUPE_DOUBLE(3), TROUPE_DOUBLE(4)}, result;
  troupe_error *error = NULL;
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK(troupe_function_call(area, sides, 2, &result, &error) == TROUPE_FAILED && error != NULL);
    CHECK(strstr(troupe_error_message(error), "belongs to the process from which this one was forked"));
    CHECK(strstr(troupe_error_remedy(error), "before you create the host"));
    CHECK_ERROR(error, "unavailable", TROUPE_FAILED);
    _exit(0);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(troupe_function_call(area, sides, 2, &result, &error) == TROUPE_OK && result.as.float64 == 12);
  troupe_function_free(area);
  troupe_host_free(host);
}

static int32_t questions;
static int32_t is_interrupted(void *context) { return ++questions > *(int32_t *)context; }

/* A program that does not want to wait any longer cancels the call, for which the worker is not to blame. */
static void check_interruption(void) {
  const troupe_host_isolation isolation = {NULL, "deadline:600"};
  troupe_host_options given = options(&isolation, 1);
  int32_t patience = INT32_MAX;
  given.is_interrupted = is_interrupted;
  given.interruption_context = &patience;
  troupe_host_t *host = start(&given);
  questions = 0;
  patience = 2;
  misbehave(host, "hang", "timedOut");
  CHECK(questions == 3);
  patience = INT32_MAX;
  CHECK(CALL(host, "area", TROUPE_DOUBLE(3), TROUPE_DOUBLE(4)).as.float64 == 12);
  for (int round = 0; round < 8; round++) {
    questions = 0;
    patience = 0;
    misbehave(host, "hang", "timedOut");
    patience = INT32_MAX;
  }
  troupe_worker_list *list = workers(host);
  CHECK(strcmp(list->items[0]->circuit, "closed") == 0 && list->items[0]->failures == 0);
  troupe_worker_list_free(list);
  troupe_host_free(host);
}

static void check_functions(void) {
  troupe_host_t *host = start_isolated("");
  troupe_function_t *area = find(host, "area");
  troupe_error *error = NULL;
  void *data;
  CHECK(!troupe_function_address(area, "double (double, double)", &error));
  CHECK_ERROR(error, "unavailable", TROUPE_FAILED);
  CHECK(!troupe_function_loop(area, &data, &error));
  CHECK_ERROR(error, "unavailable", TROUPE_FAILED);
  double widths[] = {1, 2, 3}, height = 10, areas[3];
  troupe_column width_column = {.struct_size = sizeof width_column, .kind = TROUPE_TYPE_DOUBLE, .data = widths, .stride = sizeof *widths};
  troupe_column height_column = {.struct_size = sizeof height_column, .kind = TROUPE_TYPE_DOUBLE, .data = &height, .stride = 0};
  troupe_output_column output = {.struct_size = sizeof output, .kind = TROUPE_TYPE_DOUBLE, .data = areas, .stride = sizeof *areas};
  const troupe_column *columns[] = {&width_column, &height_column};
  troupe_output_column *outputs[] = {&output};
  CHECK(troupe_function_map(area, columns, 2, 3, outputs, 1, NULL, &error) == TROUPE_OK && areas[0] == 10 && areas[2] == 30);

  // Buffers are copied, and those that a function writes to are copied back.
  CHECK(CALL(host, "sum", TROUPE_MEMORY(widths, 3)).as.float64 == 6);
  static double many[100000];
  many[99999] = 5;
  CHECK(CALL(host, "sum", TROUPE_MEMORY(many, 100000)).as.float64 == 5);
  int32_t counts[] = {1, 2};
  troupe_call_value counted = CALL(host, "count_up", TROUPE_MEMORY(counts, 2));
  CHECK(counts[0] == 2 && counts[1] == 3 && counted.count == 1 && ((int32_t *)counted.as.values[0].as.memory)[1] == 3);
  troupe_call_value_clear(&counted);
  struct {
    double x, y;
  } points[] = {{1, 2}, {3, 4}};
  troupe_call_value mirrored = CALL(host, "mirror_all", TROUPE_MEMORY(points, 2));
  CHECK(points[0].x == 2 && points[1].y == 3);
  troupe_call_value_clear(&mirrored);
  troupe_host_free(host);
  // The function keeps its worker.
  troupe_call_value sides[] = {TROUPE_DOUBLE(3), TROUPE_DOUBLE(4)}, result;
  CHECK(troupe_function_call(area, sides, 2, &result, &error) == TROUPE_OK && result.as.float64 == 12);
  troupe_function_free(area);
}

static size_t written;
static troupe_status count_bytes(void *context, const void *bytes, size_t count) {
  (void)context, (void)bytes;
  written += count;
  return TROUPE_OK;
}

static void check_transforms(void) {
  troupe_host_t *host = start_isolated("");
  troupe_error *error = NULL;
  const char *tags[] = {"pass"};
  const troupe_call_value argument = TROUPE_INT64(0);
  troupe_request request = {
    .struct_size = sizeof request, .tags = tags, .tag_count = 1, .arguments = &argument, .argument_count = 1};
  troupe_instance_list *list = troupe_host_resolve(host, &request, &error);
  CHECK_NO_ERROR(error);
  CHECK(list->count == 1 && troupe_transform_feed(list->items[0], "xyz", 3, count_bytes, NULL, &error) == TROUPE_OK && written == 3);
  CHECK(troupe_transform_feed(list->items[0], "crash", 5, count_bytes, NULL, &error) == TROUPE_FAILED);
  CHECK_ERROR(error, "crashed", TROUPE_FAILED);
  troupe_instance_list_free(list);
  troupe_host_free(host);
}

static void refuse(const troupe_host_isolation *isolation, const char *subject, const char *words) {
  troupe_host_options given = options(isolation, 1);
  troupe_error *error = NULL;
  CHECK(troupe_host_start(&given, &error) == NULL && error != NULL && strcmp(troupe_error_subject(error), subject) == 0);
  CHECK(strstr(troupe_error_message(error), words) != NULL && troupe_error_remedy(error)[0] != 0);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
}

static void check_bad_isolations(void) {
  refuse(NULL, "isolations", "NULL");
  refuse(&(troupe_host_isolation){ID, "memory:many"}, "isolations[0].policy", "got \"many\"");
  refuse(&(troupe_host_isolation){ID, "memory:many"}, "isolations[0].policy", ID);
  refuse(&(troupe_host_isolation){NULL, "anything"}, "isolations[0].policy", "all plugins");
  refuse(&(troupe_host_isolation){ID, "\xff"}, "isolations[0].policy", "UTF-8");
  refuse(&(troupe_host_isolation){"\xff", ""}, "isolations[0].plugin", "UTF-8");
  refuse(&(troupe_host_isolation){"", ""}, "isolations[0].plugin", "empty");
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  directory = arguments[1];
  check_policies();
  check_status();
  check_ends();
  check_fork();
  check_interruption();
  check_functions();
  check_transforms();
  check_bad_isolations();
  return 0;
}

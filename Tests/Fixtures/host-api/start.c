/* Starts with all options, plugins in their states, and registrations. Arguments: plugins, twin, broken. */
#include <limits.h>

#include "check.h"

static int line_count;
static char last_line[1000];

static void log_line(void *context, troupe_log_level level, const char *plugin, const char *text) {
  CHECK(context == &line_count);
  CHECK(level >= TROUPE_LOG_INFO && level <= TROUPE_LOG_ERROR);
  line_count++;
  snprintf(last_line, sizeof last_line, "%s: %s", plugin, text);
}

static void check_options(char **arguments) {
  const char *directories[] = {arguments[0]};
  char twin[PATH_MAX];
  snprintf(twin, sizeof twin, "%s/twin.so", arguments[1]);
  const char *files[] = {twin};
  const troupe_host_setting settings[] = {{"org.example.configured", "greeting", "good morning"}};
  troupe_host_options options = {
    .struct_size = sizeof options, .loading = TROUPE_LOADING_EAGER, .probing = TROUPE_PROBING_NEVER, .log_level = TROUPE_LOG_INFO,
    .directories = directories, .directory_count = 1, .files = files, .file_count = 1, .settings = settings, .setting_count = 1,
    .cache_directory = "", .quarantine_directory = "", .opens_copies = 1, .log = log_line, .log_context = &line_count};
  troupe_error *error = NULL;
  troupe_host_t *host = troupe_host_start(&options, &error);
  CHECK_NO_ERROR(error);
  troupe_call_value result = call(host, "greeting_setting", 0, NULL);
  CHECK(result.kind == TROUPE_VALUE_STRING && strcmp(result.as.string, "good morning") == 0 && result.count == 12);
  troupe_call_value_clear(&result);
  CHECK(result.kind == TROUPE_VALUE_VOID);
  CHECK(line_count >= 1 && strcmp(last_line, "org.example.configured: asked for the greeting") == 0);
  CHECK(is_in_state(host, "org.example.values", "active") && is_in_state(host, "org.example.twin", "active"));
  troupe_host_free(host);

  // A limit on the size, and a struct of a later version.
  struct {
    troupe_host_options options;
    uint64_t later;
  } larger = {options, 77};
  larger.options.struct_size = sizeof larger;
  larger.options.maximum_file_size = 100;
  host = troupe_host_start(&larger.options, &error);
  CHECK_NO_ERROR(error);
  troupe_plugin_list *list = troupe_host_plugins(host);
  CHECK(list->count > 0 && strcmp(list->items[0]->state, "rejected") == 0 && list->items[0]->fault != NULL);
  CHECK(strcmp(troupe_error_code(list->items[0]->fault), "tooLarge") == 0);
  troupe_plugin_list_free(list);
  troupe_host_free(host);
}

static void check_plugins(char **arguments) {
  const char *directories[] = {arguments[0], arguments[2]};
  troupe_host_t *host = start_host(2, directories);
  CHECK(strchr(troupe_host_version(), '.') != NULL);
  troupe_plugin_list *list = troupe_host_plugins(host);
  const troupe_plugin *values = plugin(list, "org.example.values");
  CHECK(values->struct_size == sizeof *values && strcmp(values->name, "Values") == 0 && strcmp(values->version, "1.2.3") == 0);
  CHECK(strcmp(values->language, "c") == 0 && strstr(values->path, "/values.so") != NULL && values->fault == NULL);
  CHECK(values->registration_count > 30);
  const troupe_plugin *broken = plugin(list, "org.example.broken");
  CHECK(strcmp(broken->state, "rejected") == 0 && broken->fault != NULL);
  CHECK(strcmp(troupe_error_code(broken->fault), "refused") == 0 && troupe_error_status(broken->fault) == TROUPE_FAILED);
  CHECK(strstr(troupe_error_subject(broken->fault), "/broken.so") != NULL);
  CHECK(strstr(troupe_error_message(broken->fault), "a part is missing") != NULL && troupe_error_remedy(broken->fault)[0] != 0);
  troupe_host_free(host);
  // The list outlives its host.
  CHECK(strcmp(plugin(list, "org.example.values")->id, "org.example.values") == 0);
  troupe_plugin_list_free(list);
  troupe_plugin_list_free(NULL);
}

static void check_registrations(char **arguments) {
  troupe_host_t *host = start_host(1, (const char *const[]){arguments[0]});
  troupe_registration_list *list = troupe_host_registrations(host);
  const troupe_registration *area = NULL, *stage = NULL;
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->items[i]->name, "area") == 0) area = list->items[i];
    if (strcmp(list->items[i]->name, "stage a") == 0) stage = list->items[i];
  }
  CHECK(area != NULL && area->struct_size == sizeof *area && area->is_function == 1 && area->lifetime == TROUPE_TRANSIENT);
  CHECK(strcmp(area->plugin, "org.example.values") == 0 && area->contract == NULL);
  CHECK(strcmp(area->uuid, "7a1e5000-0000-4000-8000-000000000000") == 0);
  CHECK(strcmp(area->signature, "double (double width, double height)") == 0);
  CHECK(area->tag_count == 2 && strcmp(area->tags[0], "numbers") == 0 && strcmp(area->tags[1], "values") == 0);
  CHECK(area->metadata_count == 1 && strcmp(area->metadata[0].key, "unit") == 0 && strcmp(area->metadata[0].value, "m2") == 0);
  CHECK(stage != NULL && stage->is_function == 0 && strcmp(stage->contract, "troupe.transform/1") == 0);
  troupe_registration_list_free(list);
  troupe_registration_list_free(NULL);
  troupe_host_free(host);
  troupe_host_free(NULL);
}

/* The host has nothing to find without options. */
static void check_defaults(void) {
  troupe_error *error = NULL;
  troupe_host_t *host = troupe_host_start(NULL, &error);
  CHECK_NO_ERROR(error);
  troupe_plugin_list *list = troupe_host_plugins(host);
  CHECK(list->count == 0 && list->items == NULL);
  troupe_plugin_list_free(list);
  CHECK(troupe_host_refresh(host) == 0);
  troupe_host_free(host);
}

static void refuse(const troupe_host_options *options, const char *subject, const char *code, troupe_status status) {
  troupe_error *error = NULL;
  CHECK(troupe_host_start(options, &error) == NULL);
  CHECK(error != NULL && strcmp(troupe_error_subject(error), subject) == 0);
  CHECK_ERROR(error, code, status);
  CHECK(troupe_host_start(options, NULL) == NULL);
}

static void check_bad_options(void) {
  const char *bad_text[] = {"\xff"}, *missing[] = {NULL};
  const troupe_host_setting no_key[] = {{"org.example.configured", NULL, "x"}};
#define REFUSE(subject, ...)                                                                                    \
  refuse(&(troupe_host_options){.struct_size = sizeof(troupe_host_options), __VA_ARGS__}, subject, "invalidArgument", \
         TROUPE_INVALID_ARGUMENT)
  REFUSE("directories[0]", .directories = bad_text, .directory_count = 1);
  REFUSE("directories[0]", .directories = missing, .directory_count = 1);
  REFUSE("directories", .directory_count = 1);
  REFUSE("files[0]", .files = bad_text, .file_count = 1);
  REFUSE("settings", .setting_count = 1);
  REFUSE("settings[0].key", .settings = no_key, .setting_count = 1);
  REFUSE("loading", .loading = 2);
  REFUSE("probing", .probing = -1);
  REFUSE("log_level", .log_level = 9);
  REFUSE("pins", .pins = "\xff");
  REFUSE("pins", .pins = "");
  REFUSE("probe", .probe = "\xff");
  refuse(&(troupe_host_options){.struct_size = sizeof(troupe_host_options), .probe = "/nowhere/probe"}, "/nowhere/probe",
         "missingResource", TROUPE_OUT_OF_MEMORY);
  refuse(&(troupe_host_options){.struct_size = 4}, "options", "invalidArgument", TROUPE_INVALID_ARGUMENT);
  refuse(&(troupe_host_options){.struct_size = sizeof(troupe_host_options), .pins = "/nowhere/pins"}, "/nowhere/pins", "unreadable",
         TROUPE_FAILED);
}

/* A host is independent of another one in the same program. */
static void check_two_hosts(char **arguments) {
  troupe_host_t *one = start_host(1, (const char *const[]){arguments[0]});
  troupe_host_t *other = start_host(1, (const char *const[]){arguments[1]});
  troupe_call_value result = CALL(one, "area", TROUPE_DOUBLE(2), TROUPE_DOUBLE(3));
  CHECK(result.kind == TROUPE_VALUE_DOUBLE && result.as.float64 == 6);
  result = CALL(other, "area", TROUPE_DOUBLE(2));
  CHECK(result.as.float64 == 4);
  troupe_host_free(one);
  result = CALL(other, "area", TROUPE_DOUBLE(3));
  CHECK(result.as.float64 == 9);
  troupe_host_free(other);
}

/* A function works until its own release. */
static void check_function_outlives_host(char **arguments) {
  troupe_host_t *host = start_host(1, (const char *const[]){arguments[0]});
  troupe_function_t *function = find(host, "area");
  troupe_host_free(host);
  troupe_call_value result;
  CHECK(troupe_function_call(function, (troupe_call_value[]){TROUPE_INT64(2), TROUPE_INT64(5)}, 2, &result, NULL) == TROUPE_OK);
  CHECK(result.as.float64 == 10);
  troupe_function_free(function);
  troupe_function_free(NULL);
}

int main(int count, char **arguments) {
  CHECK(count == 4);
  check_options(arguments + 1);
  check_plugins(arguments + 1);
  check_registrations(arguments + 1);
  check_defaults();
  check_bad_options();
  check_two_hosts(arguments + 1);
  check_function_outlives_host(arguments + 1);
  return 0;
}

/* What the programs here have in common. Each gets directories of plugins as its arguments, and ends with 0 if all holds. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <troupe-host.h>

#define CHECK(condition)                                                                  \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);       \
      exit(1);                                                                            \
    }                                                                                     \
  } while (0)

/* Expects an error with this code and status, and releases it. */
#define CHECK_ERROR(error, expected_code, expected_status)                                                            \
  do {                                                                                                                \
    if ((error) == NULL || strcmp(troupe_error_code(error), expected_code) != 0) {                                    \
      fprintf(stderr, "%s:%d: %s instead of %s: %s\n", __FILE__, __LINE__, (error) ? troupe_error_code(error) : "no error", \
              expected_code, (error) ? troupe_error_message(error) : "");                                             \
      exit(1);                                                                                                        \
    }                                                                                                                 \
    CHECK(troupe_error_status(error) == (expected_status));                                                           \
    CHECK(troupe_error_message(error)[0] != 0);                                                                       \
    troupe_error_free(error);                                                                                         \
    (error) = NULL;                                                                                                   \
  } while (0)

/* Expects no error. */
#define CHECK_NO_ERROR(error)                                                                             \
  do {                                                                                                    \
    if ((error) != NULL) {                                                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, troupe_error_message(error));                    \
      exit(1);                                                                                            \
    }                                                                                                     \
  } while (0)

/* Starts a host that probes nothing, for directories. */
static inline troupe_host_t *start_host(size_t count, const char *const *directories) {
  troupe_host_options options = {
    .struct_size = sizeof options, .probing = TROUPE_PROBING_NEVER, .directories = directories, .directory_count = count,
    .cache_directory = "", .quarantine_directory = ""};
  troupe_error *error = NULL;
  troupe_host_t *host = troupe_host_start(&options, &error);
  CHECK_NO_ERROR(error);
  CHECK(host != NULL);
  return host;
}

static inline troupe_function_t *find(troupe_host_t *host, const char *name) {
  troupe_error *error = NULL;
  troupe_function_t *function = troupe_host_function(host, name, &error);
  CHECK_NO_ERROR(error);
  return function;
}

/* Calls a function by its name, which must succeed. */
static inline troupe_call_value call(troupe_host_t *host, const char *name, size_t count, const troupe_call_value *arguments) {
  troupe_error *error = NULL;
  troupe_function_t *function = find(host, name);
  troupe_call_value result;
  troupe_status status = troupe_function_call(function, arguments, count, &result, &error);
  CHECK_NO_ERROR(error);
  CHECK(status == TROUPE_OK);
  troupe_function_free(function);
  return result;
}
#define CALL(host, name, ...)                                                                                          \
  call(host, name, sizeof((troupe_call_value[]){__VA_ARGS__}) / sizeof(troupe_call_value), (troupe_call_value[]){__VA_ARGS__})

/* Returns the plugin with an id; it must exist. */
static inline const troupe_plugin *plugin(const troupe_plugin_list *list, const char *id) {
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i]->id != NULL && strcmp(list->items[i]->id, id) == 0) return list->items[i];
  fprintf(stderr, "there is no plugin %s\n", id);
  exit(1);
}

/* Whether the plugin with an id is in a state. */
static inline int is_in_state(const troupe_host_t *host, const char *id, const char *state) {
  troupe_plugin_list *list = troupe_host_plugins(host);
  int is_so = strcmp(plugin(list, id)->state, state) == 0;
  troupe_plugin_list_free(list);
  return is_so;
}

#endif

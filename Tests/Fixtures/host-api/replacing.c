/* Replaces, adds and retires plugins. Arguments: an empty directory, and files: a plugin, its next version, another plugin. */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "check.h"

static char *directory;

/* Puts a copy of a file into the directory, by a rename. */
static void put(const char *file, const char *name) {
  char bytes[65536], temporary[PATH_MAX], path[PATH_MAX];
  snprintf(temporary, sizeof temporary, "%s/new", directory);
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *from = fopen(file, "r"), *to = fopen(temporary, "w");
  CHECK(from != NULL && to != NULL);
  for (size_t count; (count = fread(bytes, 1, sizeof bytes, from)) > 0;) CHECK(fwrite(bytes, 1, count, to) == count);
  fclose(from);
  fclose(to);
  CHECK(rename(temporary, path) == 0);
}

static troupe_host_t *changing;
static int32_t change_count;

/* Changes plugins in a line of the log that the host writes while it retires one: each function fails at once, and none waits. */
static void change_plugins(void *context, troupe_log_level level, const char *plugin, const char *text) {
  (void)context, (void)level, (void)plugin, (void)text;
  if (changing == NULL) return;
  troupe_host_t *host = changing;
  changing = NULL;
  troupe_error *error = NULL;
  CHECK(troupe_host_retire(host, "org.example.twin", &error) != TROUPE_OK);
  CHECK_ERROR(error, "busy", TROUPE_FAILED);
  CHECK(troupe_host_reload(host, "org.example.twin", NULL, &error) != TROUPE_OK);
  CHECK_ERROR(error, "busy", TROUPE_FAILED);
  CHECK(troupe_host_refresh(host) == 0);
  change_count++;
}

static void change_while_retiring(void) {
  troupe_host_options options = {
    .struct_size = sizeof options, .probing = TROUPE_PROBING_NEVER, .directories = (const char *const[]){directory},
    .directory_count = 1, .cache_directory = "", .quarantine_directory = "", .log = change_plugins,
    .log_level = TROUPE_LOG_DEBUG};
  troupe_error *error = NULL;
  troupe_host_t *host = troupe_host_start(&options, &error);
  CHECK_NO_ERROR(error);
  changing = host;
  CHECK(troupe_host_retire(host, "org.example.twin", &error) == TROUPE_OK);
  CHECK_NO_ERROR(error);
  CHECK(change_count == 1);
  troupe_host_free(host);
}

int main(int count, char **arguments) {
  CHECK(count == 5);
  directory = arguments[1];
  put(arguments[2], "area.so");
  troupe_host_t *host = start_host(1, (const char *const[]){directory});
  troupe_error *error = NULL;
  troupe_function_t *old = find(host, "area");
  CHECK(CALL(host, "area", TROUPE_DOUBLE(3)).as.float64 == 9);

  int32_t is_replaced = 7;
  CHECK(troupe_host_reload(host, "org.example.twin", &is_replaced, &error) == TROUPE_OK && is_replaced == 0);
  put(arguments[3], "area.so");
  CHECK(troupe_host_reload(host, "org.example.twin", &is_replaced, &error) == TROUPE_OK && is_replaced == 1);
  CHECK_NO_ERROR(error);
  CHECK(CALL(host, "area", TROUPE_DOUBLE(3)).as.float64 == 27);
  // The old version works until its release.
  troupe_call_value result;
  CHECK(troupe_function_call(old, &TROUPE_DOUBLE(3), 1, &result, &error) == TROUPE_OK && result.as.float64 == 9);
  troupe_function_free(old);
  change_while_retiring();

  CHECK(troupe_host_refresh(host) == 0);
  put(arguments[4], "values.so");
  CHECK(troupe_host_refresh(host) == 1);
  CHECK(CALL(host, "small", TROUPE_INT64(3)).as.int64 == 3);
  CHECK(troupe_host_retire(host, "org.example.values", &error) == TROUPE_OK);
  CHECK(is_in_state(host, "org.example.values", "retired") || is_in_state(host, "org.example.values", "draining"));
  CHECK(troupe_host_function(host, "small", &error) == NULL);
  CHECK_ERROR(error, "notRegistered", TROUPE_NOT_FOUND);

  // A file that is no plugin leaves the old one.
  put("/etc/passwd", "area.so");
  CHECK(troupe_host_reload(host, "org.example.twin", NULL, &error) == TROUPE_FAILED);
  CHECK_ERROR(error, "notALibrary", TROUPE_FAILED);
  CHECK(CALL(host, "area", TROUPE_DOUBLE(3)).as.float64 == 27);
  troupe_host_free(host);
  return 0;
}

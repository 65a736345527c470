/* The program of the header's comment, which also lists the plugins. Argument: a directory with the function "area". */
#include <stdio.h>
#include <troupe-host.h>

int main(int count, char **arguments) {
  const char *directories[] = {count > 1 ? arguments[1] : "plugins"};
  troupe_host_options options = {.struct_size = sizeof options, .directories = directories, .directory_count = 1};
  troupe_error *error = NULL;
  troupe_host_t *host = troupe_host_start(&options, &error);
  if (host) {
    troupe_plugin_list *plugins = troupe_host_plugins(host);
    for (size_t i = 0; i < plugins->count; i++) printf("%s %s\n", plugins->items[i]->path, plugins->items[i]->state);
    troupe_plugin_list_free(plugins);
  }
  troupe_function_t *area = host ? troupe_host_function(host, "area", &error) : NULL;
  troupe_call_value sides[] = {TROUPE_DOUBLE(3), TROUPE_DOUBLE(4.5)}, result;
  if (area && troupe_function_call(area, sides, 2, &result, &error) == TROUPE_OK) printf("%g\n", result.as.float64);
  if (error) fprintf(stderr, "%s\n", troupe_error_message(error));
  int status = error ? 1 : 0;
  troupe_error_free(error);
  troupe_function_free(area);
  troupe_host_free(host);
  return status;
}

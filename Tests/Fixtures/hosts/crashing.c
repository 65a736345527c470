/* Calls a function without parameters of a plugin, and reports crashes: crashing DIRECTORY FUNCTION. Prints the plugins first. */
#include <stdio.h>
#include <string.h>
#include <troupe-host.h>

int main(int count, char **arguments) {
  if (count < 3) return 64;
  const char *directories[] = {arguments[1]};
  troupe_host_options options = {
    .struct_size = sizeof options, .directories = directories, .directory_count = 1, .reports_crashes = 1,
  };
  troupe_error *error = NULL;
  troupe_host_t *host = troupe_host_start(&options, &error);
  if (!host) return 1;
  troupe_plugin_list *plugins = troupe_host_plugins(host);
  for (size_t i = 0; i < plugins->count; i++) printf("%s %s\n", plugins->items[i]->id, plugins->items[i]->state);
  fflush(stdout);
  troupe_plugin_list_free(plugins);
  troupe_function_t *function = troupe_host_function(host, arguments[2], &error);
  troupe_call_value result;
  int called = function && troupe_function_call(function, NULL, 0, &result, &error) == TROUPE_OK;
  troupe_error_free(error);
  troupe_function_free(function);
  troupe_host_free(host);
  return called ? 0 : 69;
}

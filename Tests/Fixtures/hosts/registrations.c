/* A host for the plugins in a directory. Prints the members of each registration, one a line, and then those of the registrations of the
 * instances with the tag "box". An empty line ends each registration. */
#include <stdio.h>

#include <troupe-host.h>

static void print(const troupe_registration *registration) {
  static const char *const lifetimes[] = {
    [TROUPE_TRANSIENT] = "transient", [TROUPE_SINGLETON] = "singleton", [TROUPE_SCOPED] = "scoped"};
  printf("plugin=%s\nname=%s\nsignature=%s\n", registration->plugin, registration->name, registration->signature);
  if (registration->uuid) printf("uuid=%s\n", registration->uuid);
  if (registration->contract) printf("contract=%s\n", registration->contract);
  printf("lifetime=%s\nisFunction=%d\n", lifetimes[registration->lifetime], registration->is_function);
  for (uint32_t index = 0; index < registration->tag_count; index++) printf("tag=%s\n", registration->tags[index]);
  for (size_t index = 0; index < registration->metadata_count; index++)
    printf("metadata=%s=%s\n", registration->metadata[index].key, registration->metadata[index].value);
  puts("");
}

int main(int count, char **arguments) {
  const char *directories[] = {count > 1 ? arguments[1] : "."};
  troupe_host_options options = {.struct_size = sizeof options, .directories = directories, .directory_count = 1};
  troupe_error *error = NULL;
  troupe_host_t *host = troupe_host_start(&options, &error);
  if (!host) return fprintf(stderr, "%s\n", troupe_error_message(error)), 1;
  troupe_registration_list *list = troupe_host_registrations(host);
  for (size_t index = 0; index < list->count; index++) print(list->items[index]);
  troupe_registration_list_free(list);
  const char *tags[] = {"box"};
  troupe_call_value start = TROUPE_INT64(3);
  troupe_request request = {
    .struct_size = sizeof request, .tags = tags, .tag_count = 1, .arguments = &start, .argument_count = 1};
  troupe_instance_list *instances = troupe_host_resolve(host, &request, &error);
  if (!instances) return fprintf(stderr, "%s\n", troupe_error_message(error)), 1;
  for (size_t index = 0; index < instances->count; index++) print(troupe_instance_registration(instances->items[index]));
  troupe_instance_list_free(instances);
  troupe_host_free(host);
  return 0;
}

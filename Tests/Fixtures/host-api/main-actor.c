/* A start on the main thread activates a plugin that needs the main actor. Argument: a directory with that plugin. */
#include "check.h"

int main(int count, char **arguments) {
  CHECK(count == 2);
  troupe_host_t *host = start_host(1, (const char *const *)arguments + 1);
  CHECK(is_in_state(host, "org.example.main-actor", "active"));
  troupe_error *error = NULL;
  troupe_request request = {.struct_size = sizeof request, .tags = (const char *const[]){"isolated"}, .tag_count = 1};
  CHECK(troupe_host_resolve(host, &request, &error) == NULL);
  CHECK_ERROR(error, "unavailable", TROUPE_FAILED);
  troupe_host_free(host);
  return 0;
}

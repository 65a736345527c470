/* A start with probes, whose results the second start takes from the cache. Arguments: plugins, faulty plugins, an empty directory. */
#include "check.h"

int main(int count, char **arguments) {
  CHECK(count == 4);
  for (int i = 0; i < 2; i++) {
    troupe_host_options options = {
      .struct_size = sizeof options, .directories = (const char *const *)arguments + 1, .directory_count = 2,
      .cache_directory = arguments[3], .quarantine_directory = "", .probe_deadline = 5000, .log_level = TROUPE_LOG_ERROR};
    troupe_error *error = NULL;
    troupe_host_t *host = troupe_host_start(&options, &error);
    CHECK_NO_ERROR(error);
    CHECK(is_in_state(host, "org.example.values", "admitted") && is_in_state(host, "org.example.broken", "rejected"));
    CHECK(CALL(host, "area", TROUPE_DOUBLE(2), TROUPE_DOUBLE(3)).as.float64 == 6);
    troupe_host_free(host);
  }
  return 0;
}

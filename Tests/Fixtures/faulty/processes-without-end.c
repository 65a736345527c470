/* A plugin whose entry starts processes up to the limit, and waits if there is no limit. */
#define _GNU_SOURCE
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.processes-without-end", "Processes without end", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  for (int count = 0; count < 3000; count++) {
    pid_t process = fork();
    if (process < 0) return TROUPE_OK;
    if (process == 0) {
      setsid();
      for (;;) pause();
    }
  }
  for (;;) pause();
  return TROUPE_OK;
}

/* A plugin whose entry waits for processes that loop forever. */
#include <sys/wait.h>
#include <troupe.h>
#include <unistd.h>

TROUPE_PLUGIN("org.example.busy-children", "Busy children", "1.0.0")

static volatile unsigned turns;

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  for (int count = 0; count < 2; count++) {
    if (fork() == 0) {
      for (;;) turns++;
    }
  }
  while (wait(NULL) > 0) {
  }
  return TROUPE_OK;
}

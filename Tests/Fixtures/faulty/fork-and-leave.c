/* A plugin whose entry leaves a child process running. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.fork-and-leave", "Fork and leave", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  if (fork() == 0) {
    for (;;) pause();
  }
  return TROUPE_OK;
}

/* A plugin whose entry leaves a process with a session of its own and without a parent running. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.daemon", "Daemon", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  if (fork() == 0) {
    setsid();
    if (fork() > 0) _exit(0);
    for (;;) pause();
  }
  return TROUPE_OK;
}

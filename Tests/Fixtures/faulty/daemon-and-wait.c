/* A plugin whose entry leaves a process with a session of its own running, reports it, and waits forever. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.daemon-and-wait", "Daemon and wait", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  if (fork() == 0) {
    setsid();
    if (fork() > 0) _exit(0);
    (void)!write(STDOUT_FILENO, "here\n", 5);
  }
  for (;;) pause();
}

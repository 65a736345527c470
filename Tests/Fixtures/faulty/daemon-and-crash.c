/* A plugin whose entry leaves a process with a session of its own running, and then crashes. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.daemon-and-crash", "Daemon and crash", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  int ends[2];
  char byte;
  if (pipe(ends) != 0) return TROUPE_FAILED;
  if (fork() == 0) {
    setsid();
    if (fork() > 0) _exit(0);
    (void)!write(ends[1], "", 1);
    for (;;) pause();
  }
  (void)!read(ends[0], &byte, 1);
  *(volatile int *)8 = 1;
  return TROUPE_OK;
}

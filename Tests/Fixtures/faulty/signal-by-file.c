/* A plugin whose entry makes the kernel send signals for events of a pipe to its parent process. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.signal-by-file", "Signal by file", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  int ends[2];
  if (pipe(ends) != 0) return TROUPE_FAILED;
  fcntl(ends[0], F_SETOWN, getppid());
  fcntl(ends[0], F_SETSIG, SIGTERM);
  fcntl(ends[0], F_SETFL, O_ASYNC);
  if (write(ends[1], "x", 1) != 1) return TROUPE_FAILED;
  close(ends[0]);
  close(ends[1]);
  return TROUPE_OK;
}

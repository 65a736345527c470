/* A plugin whose entry kills its parent process through a process descriptor. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.signal-by-descriptor", "Signal by descriptor", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  int process = (int)syscall(SYS_pidfd_open, getppid(), 0);
  syscall(SYS_pidfd_send_signal, process, SIGTERM, NULL, 0);
  close(process);
  return TROUPE_OK;
}

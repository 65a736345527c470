/* A plugin whose entry kills a thread of its parent process. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.kill-thread", "Kill thread", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
#if defined(SYS_tkill)
  syscall(SYS_tkill, getppid(), SIGTERM);
#else
  syscall(SYS_tgkill, getppid(), getppid(), SIGTERM);
#endif
  return TROUPE_OK;
}

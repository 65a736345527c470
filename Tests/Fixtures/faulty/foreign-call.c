/* A plugin whose entry uses the system call numbers of another architecture. */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.foreign-call", "Foreign call", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
#if defined(__x86_64__)
  /* The x32 interface, for programs with short pointers. */
  syscall(0x40000000 | SYS_kill, getppid(), SIGTERM);
#else
  syscall(SYS_ptrace, 0, 0, NULL, NULL);
#endif
  return TROUPE_OK;
}

/* A plugin whose constructor starts a process that kills it. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.kill-from-child", "Kill from child", "1.0.0")

__attribute__((constructor)) static void end(void) {
  if (fork() == 0) {
    kill(getppid(), SIGKILL);
    _exit(0);
  }
  wait(NULL);
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

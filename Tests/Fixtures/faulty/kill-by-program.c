/* A plugin whose entry runs a program that kills the parent process. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.kill-by-program", "Kill by program", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  char command[64];
  snprintf(command, sizeof command, "kill -TERM %d", getppid());
  if (system(command) == -1) return TROUPE_FAILED;
  return TROUPE_OK;
}

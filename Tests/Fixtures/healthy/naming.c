/* A plugin that prints the executable of its process on standard error when it is opened. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.naming", "Naming", "1.0.0")

__attribute__((constructor)) static void begin(void) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  dprintf(STDERR_FILENO, "%.*s\n", (int)length, path);
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

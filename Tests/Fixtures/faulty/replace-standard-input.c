/* A plugin whose entry replaces the standard input by an empty file. */
#include <fcntl.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.replace-standard-input", "Replace standard input", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  int file = open("/dev/null", O_RDONLY);
  dup2(file, STDIN_FILENO);
  close(file);
  return TROUPE_OK;
}

/* A plugin whose entry changes to a directory and removes it. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.deleted-directory", "Deleted directory", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  char path[] = "/tmp/troupe-deleted-XXXXXX";
  if (!mkdtemp(path) || chdir(path) != 0 || rmdir(path) != 0) return TROUPE_FAILED;
  return TROUPE_OK;
}

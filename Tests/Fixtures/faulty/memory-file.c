/* A plugin whose entry creates a huge file in memory. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.memory-file", "Memory file", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  int file = memfd_create("large", 0);
  if (ftruncate(file, (off_t)1 << 40) != 0) return TROUPE_FAILED;
  close(file);
  return TROUPE_OK;
}

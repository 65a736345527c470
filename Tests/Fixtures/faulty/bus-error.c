/* A plugin whose entry reads after the end of a mapped file. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.bus-error", "Bus error", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  FILE *file = tmpfile();
  volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
  return page[0];
}

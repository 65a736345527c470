/* A plugin whose entry frees the same memory twice. */
#include <stdlib.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.freed-twice", "Freed twice", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  void *volatile memory = malloc(24);
  void *volatile same = memory;
  free(memory);
  free(same);
  abort();
}

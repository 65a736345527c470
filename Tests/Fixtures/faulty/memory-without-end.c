/* A plugin whose entry allocates memory until none is left. */
#include <stdlib.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.memory-without-end", "Memory without end", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  while (malloc(64 << 20)) {
  }
  abort();
}

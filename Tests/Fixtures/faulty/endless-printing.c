/* A plugin whose entry prints forever to both streams. */
#include <stdio.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.endless-printing", "Endless printing", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  for (;;) {
    puts("on and on");
    fputs("and on\n", stderr);
  }
}

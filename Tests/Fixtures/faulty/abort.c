/* A plugin whose entry writes to standard error and aborts. */
#include <stdio.h>
#include <stdlib.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.abort", "Abort", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  fputs("cannot go on\n", stderr);
  abort();
}

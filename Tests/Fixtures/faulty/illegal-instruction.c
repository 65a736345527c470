/* A plugin whose entry executes an invalid instruction. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.illegal-instruction", "Illegal instruction", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  __builtin_trap();
}

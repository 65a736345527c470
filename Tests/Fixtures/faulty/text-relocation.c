/* A plugin whose code contains an address that the loader must relocate. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.text-relocation", "Text relocation", "1.0.0")

__asm__(".text\n.quad environ\n");

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

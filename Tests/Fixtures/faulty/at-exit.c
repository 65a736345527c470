/* A plugin that stays open and does ACTION in an exit handler, or with IN_DESTRUCTOR in a destructor. */
#include <stdlib.h>
#include <troupe.h>
#include <unistd.h>

TROUPE_PLUGIN(ID, "At exit", "1.0.0")

#ifdef IN_DESTRUCTOR
__attribute__((destructor))
#endif
static void
end(void) {
  ACTION;
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
#ifndef IN_DESTRUCTOR
  atexit(end);
#endif
  return TROUPE_OK;
}

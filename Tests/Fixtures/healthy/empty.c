/*
 * A plugin that registers nothing. Macros vary it: ID and VERSION, MEMBERS of the manifest, CODE in front of the entry, and ENTRY, the
 * statements of the entry.
 */
#include <troupe.h>

#ifndef ID
#define ID "org.example.empty"
#endif
#ifndef VERSION
#define VERSION "1.0.0"
#endif
#ifndef CODE
#define CODE
#endif
#ifndef ENTRY
#define ENTRY return TROUPE_OK;
#endif

#ifdef MEMBERS
TROUPE_PLUGIN_WITH(ID, "Empty", VERSION, MEMBERS)
#else
TROUPE_PLUGIN(ID, "Empty", VERSION)
#endif

CODE

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  ENTRY
}

/* A plugin with a manifest and no entry. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.no-entry", "No entry", "1.0.0")

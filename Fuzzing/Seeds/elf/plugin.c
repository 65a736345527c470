/* A plugin: its note is in a segment and in a section. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.seed", "Seed", "1.0.0")

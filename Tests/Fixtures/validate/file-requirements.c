#define MANIFEST TROUPE_PLUGIN_WITH("org.example.validated", "Validated", "1.0.0", TROUPE_REQUIRES("org.example.absent"))
#include "good.h"

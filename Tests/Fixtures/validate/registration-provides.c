#define MANIFEST TROUPE_PLUGIN_WITH("org.example.validated", "Validated", "1.0.0", TROUPE_PROVIDES("org.example.absent/1"))
#include "good.h"

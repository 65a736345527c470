#define MANIFEST TROUPE_PLUGIN("org.example.validated", "Validated", "0.0.0")
#include "good.h"

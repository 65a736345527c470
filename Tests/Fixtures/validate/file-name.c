#define MANIFEST TROUPE_PLUGIN("org.example.validated", "org.example.validated", "1.0.0")
#include "good.h"

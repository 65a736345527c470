#define MANIFEST \
  TROUPE_PLUGIN_WITH("org.example.validated", "Validated", "1.0.0", TROUPE_SETTINGS(TROUPE_SETTING_INTEGER("width", 76, 1, 1000, "")))
#include "good.h"

#define ENTRY_FUNCTION __attribute__((used)) static troupe_status plugin_main
#include "good.h"

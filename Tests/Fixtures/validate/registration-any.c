#define REGISTER return TROUPE_OK;
#include "good.h"

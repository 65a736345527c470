#define MANIFEST
#include "good.h"

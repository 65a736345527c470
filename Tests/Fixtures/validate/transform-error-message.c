#define MESSAGE return NULL;
#include "good.h"

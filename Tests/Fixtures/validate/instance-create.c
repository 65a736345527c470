#define CREATE return NULL;
#include "good.h"

/* cc: -Wl,-z,execstack */
#include "good.h"

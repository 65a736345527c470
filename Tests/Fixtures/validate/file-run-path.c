/* cc: -Wl,-rpath,lib */
#include "good.h"

/* cc: -Wl,-rpath,/opt/validated/lib */
#include "good.h"

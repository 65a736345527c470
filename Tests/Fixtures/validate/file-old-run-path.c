/* cc: -Wl,--disable-new-dtags,-rpath,$ORIGIN */
#include "good.h"

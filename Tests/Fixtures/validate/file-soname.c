/* cc: -Wl,-soname,libplugin.so */
#include "good.h"

/* cc: -Wl,--no-as-needed -lm */
#include "good.h"

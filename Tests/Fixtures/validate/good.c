/* cc: -g */
#include "good.h"

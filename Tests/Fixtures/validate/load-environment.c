#define _GNU_SOURCE
#include <stdlib.h>
#define ENTRY clearenv();
#include "good.h"

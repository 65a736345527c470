#define _GNU_SOURCE
#include <stdlib.h>
#define ENTRY setenv("VALIDATED", "1", 1);
#include "good.h"

#include <stdio.h>
#define ENTRY printf("loaded\n");
#include "good.h"

#define _GNU_SOURCE
#include <unistd.h>
#define ENTRY usleep(150000);
#include "good.h"

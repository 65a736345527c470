#define _GNU_SOURCE
#include <unistd.h>
#define ENTRY alarm(3600);
#include "good.h"

#define _GNU_SOURCE
#include <unistd.h>
#define ENTRY for (int descriptor = 3; descriptor < 20; descriptor++) close(descriptor);
#include "good.h"

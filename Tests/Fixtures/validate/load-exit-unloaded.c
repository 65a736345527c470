#define _GNU_SOURCE
#include <stdlib.h>
static void end(int status, void *unused) { (void)status, (void)unused; }
#define ENTRY on_exit(end, NULL);
#include "good.h"

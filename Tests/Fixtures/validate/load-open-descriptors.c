#include <fcntl.h>
#define ENTRY if (open("/dev/null", O_RDONLY) < 0) return TROUPE_FAILED;
#include "good.h"

#include <sys/stat.h>
#define ENTRY umask(0);
#include "good.h"

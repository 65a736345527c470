#include <sys/resource.h>
#define ENTRY setrlimit(RLIMIT_STACK, &(struct rlimit){1 << 20, 1 << 20});
#include "good.h"

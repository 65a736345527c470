#define SUM_NAME "Sum of Numbers"
#include "good.h"

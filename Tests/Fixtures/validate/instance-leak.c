#define DESTROY
#include "good.h"

#define TAG "Arithmetic Tools"
#include "good.h"

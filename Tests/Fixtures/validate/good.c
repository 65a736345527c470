#include "good.h"

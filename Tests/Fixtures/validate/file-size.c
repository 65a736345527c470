#include "good.h"
__attribute__((used)) static char large[33 << 20] = {1};

/* refused: not a type that a signature knows: y */
#include <troupe.h>
#define POINT TROUPE_STRUCT(point, double x, y)
TROUPE_DEFINE(POINT);

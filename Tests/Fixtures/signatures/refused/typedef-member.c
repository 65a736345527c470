/* refused: not a type that a signature knows: my_float x */
#include <troupe.h>
typedef double my_float;
#define POINT TROUPE_STRUCT(point, double y, my_float x)
TROUPE_DEFINE(POINT);

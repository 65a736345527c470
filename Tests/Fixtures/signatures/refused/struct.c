/* refused: norm is not a function of the type double (struct point p) */
#include <troupe.h>
#define POINT TROUPE_STRUCT(point, double x, double y)
#define VECTOR TROUPE_STRUCT(vector, double x, double y)
TROUPE_DEFINE(POINT);
TROUPE_DEFINE(VECTOR);
static double norm(struct vector v) { return v.x * v.x + v.y * v.y; }
const char *signature(void) { return TROUPE_SIGNATURE(double, norm, (struct point p), POINT); }

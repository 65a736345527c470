/* refused: PIONT */
#include <troupe.h>
#define POINT TROUPE_STRUCT(point, double x, double y)
TROUPE_DEFINE(POINT);
static double norm(struct point p) { return p.x * p.x + p.y * p.y; }
const char *signature(void) { return TROUPE_SIGNATURE(double, norm, (struct point p), PIONT); }

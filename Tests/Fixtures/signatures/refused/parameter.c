/* refused: area is not a function of the type double (double width, float height) */
#include <troupe.h>
static double area(double width, double height) { return width * height; }
const char *signature(void) { return TROUPE_SIGNATURE(double, area, (double width, float height)); }

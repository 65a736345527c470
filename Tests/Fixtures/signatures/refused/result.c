/* refused: area is not a function of the type double (double width, double height) */
#include <troupe.h>
static float area(double width, double height) { return (float)(width * height); }
const char *signature(void) { return TROUPE_SIGNATURE(double, area, (double width, double height)); }

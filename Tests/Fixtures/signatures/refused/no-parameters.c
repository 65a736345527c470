/* refused: area is not a function of the type double (void) */
#include <troupe.h>
static double area(double width, double height) { return width * height; }
const char *signature(void) { return TROUPE_SIGNATURE(double, area, (void)); }

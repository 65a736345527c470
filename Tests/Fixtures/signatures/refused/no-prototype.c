/* refused: one is not a function of the type double (double x) */
#include <troupe.h>
static double one() { return 1; }
const char *signature(void) { return TROUPE_SIGNATURE(double, one, (double x)); }

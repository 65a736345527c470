/* refused: (write the type that a typedef names, and (void) for no parameters) */
#include <troupe.h>
static double zero(void) { return 0; }
const char *signature(void) { return TROUPE_SIGNATURE(double, zero, ()); }

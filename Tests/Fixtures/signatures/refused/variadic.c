/* refused: print is not a function of the type int (const char *format, ...) */
#include <troupe.h>
int print(const char *format, int number);
const char *signature(void) { return TROUPE_SIGNATURE(int, print, (const char *format, TROUPE_VARIADIC)); }

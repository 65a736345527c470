/* refused: apply is not a function of the type int (int (*change)(long), int number) */
#include <troupe.h>
static int apply(int (*change)(int), int number) { return change(number); }
const char *signature(void) { return TROUPE_SIGNATURE(int, apply, (int (*change)(long), int number)); }

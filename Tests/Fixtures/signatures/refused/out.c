/* refused: halve is not a function of the type int (int number, out float *half) */
#include <troupe.h>
static int halve(int number, double *half) { *half = number / 2.0; return 0; }
const char *signature(void) { return TROUPE_SIGNATURE(int, halve, (int number, TROUPE_OUT(float *half))); }

/* refused: sum is not a function of the type double (const double numbers[count], size_t count) */
#include <troupe.h>
static double sum(const float *numbers, size_t count) { return count == 0 ? 0 : (double)numbers[0]; }
const char *signature(void) {
  return TROUPE_SIGNATURE(double, sum, (TROUPE_BUFFER(const double, numbers, count), size_t count));
}

/* The sum of 1 to n, by the threads of OpenMP, which live on after the call. */
#include <stdint.h>

int64_t runtime_sum(int64_t n) {
  int64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int64_t term = 1; term <= n; term++) sum += term;
  return sum;
}

// header: cblas.h
// package: openblas
#include <cblas.h>
#include <stdio.h>
int main(void) {
  double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, c[4] = {0};
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2);
  printf("[%.1f, %.1f, %.1f, %.1f]\n", c[0], c[1], c[2], c[3]);
  printf("%.1f\n", cblas_ddot(4, a, 1, b, 1));
}

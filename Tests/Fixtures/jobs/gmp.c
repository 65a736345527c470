// header: gmp.h
// package: gmp
#include <gmp.h>
#include <stdio.h>
int main(void) {
  mpz_t x;
  mpz_init_set_str(x, "123456789012345678901234567890", 10);
  mpz_mul(x, x, x);
  gmp_printf("%Zd\n", x);
}

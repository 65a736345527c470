// header: gsl/gsl_rng.h gsl/gsl_integration.h gsl/gsl_sf_bessel.h
// package: gsl
#include <gsl/gsl_integration.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sf_bessel.h>
#include <stdio.h>
static double bessel(double x, void *parameters) { return parameters ? 0 : gsl_sf_bessel_J0(x); }
int main(void) {
  gsl_rng *generator = gsl_rng_alloc(gsl_rng_env_setup());
  printf("%s\n", gsl_rng_name(generator));
  gsl_rng_set(generator, 42);
  printf("%lu\n", gsl_rng_get(generator));
  gsl_function f = {bessel, NULL};
  (void)f;
  printf("%.10g\n", gsl_sf_bessel_J0(2.5));
}

/* A product of two numbers for calls over columns: as a plain function, and with a vectorized body. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.columns", "Columns", "1.0.0")

static double product(double a, double b) { return a * b; }

static void product_map(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data) {
  (void)data;
  if (steps[0] == sizeof(double) && steps[1] == sizeof(double) && steps[2] == sizeof(double)) {
    const double *a = (const double *)args[0], *b = (const double *)args[1];
    double *result = (double *)args[2];
    for (intptr_t row = 0; row < dimensions[0]; row++) result[row] = a[row] * b[row];
    return;
  }
  for (intptr_t row = 0; row < dimensions[0]; row++)
    *(double *)(args[2] + row * steps[2]) = *(double *)(args[0] + row * steps[0]) * *(double *)(args[1] + row * steps[1]);
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  static const troupe_factory plain = TROUPE_FACTORY(
    "c0105000-0000-4000-8000-000000000101", "plain", TROUPE_NO_TAGS, double, product, (double a, double b));
  static const troupe_factory vectorized = TROUPE_MAP_FACTORY(
    "c0105000-0000-4000-8000-000000000102", "vectorized", TROUPE_NO_TAGS, product_map, double, product, (double a, double b));
  troupe_status status = registrar->register_factory(registrar, &plain);
  return status == TROUPE_OK ? registrar->register_factory(registrar, &vectorized) : status;
}

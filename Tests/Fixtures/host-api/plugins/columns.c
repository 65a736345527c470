/* Functions for calls over columns. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.columns", "Columns", "1.0.0")

#define POINT TROUPE_STRUCT(column_point, double x, double y)
TROUPE_DEFINE(POINT);

static double product(double a, double b) { return a * b; }
/* Differs from the function, so that a program sees which of them ran. */
static void product_map(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data) {
  const double sign = data == NULL ? -1 : 1;
  for (intptr_t row = 0; row < dimensions[0]; row++)
    *(double *)(args[2] + row * steps[2]) = sign * *(double *)(args[0] + row * steps[0]) * *(double *)(args[1] + row * steps[1]);
}
static double sum(double a, double b) { return a + b; }
static int32_t scaled(int8_t a, float b) { return (int32_t)(a * b); }
static bool is_positive(double x) { return x > 0; }
static int divided(int a, int b, int *rest) {
  if (b == 0) {
    errno = EDOM;
    return -1;
  }
  *rest = a % b;
  return a / b;
}
static struct column_point turned(struct column_point point) { return (struct column_point){point.y, -point.x}; }
static double total(const double *values, size_t count, double factor) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += values[i];
  return sum * factor;
}
static const void *place(const double *values, size_t count, int row) { return count > 0 && row >= 0 ? values : NULL; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
#define FUNCTION(number, function, ...)                                                                               \
  TROUPE_FACTORY("c0105000-0000-4000-8000-0000000000" number, "column_" #function, TROUPE_NO_TAGS, __VA_ARGS__)
  static const troupe_factory factories[] = {
    TROUPE_MAP_FACTORY("c0105000-0000-4000-8000-000000000001", "column_product", TROUPE_NO_TAGS, product_map, double, product,
                       (double a, double b)),
    FUNCTION("02", sum, double, sum, (double a, double b)),
    FUNCTION("03", scaled, int32_t, scaled, (int8_t a, float b)),
    FUNCTION("04", is_positive, bool, is_positive, (double x)),
    FUNCTION("05", divided, TROUPE_ERRNO(int), divided, (int a, int b, TROUPE_OUT(int *rest))),
    FUNCTION("06", turned, struct column_point, turned, (struct column_point point), POINT),
    FUNCTION("07", total, double, total, (TROUPE_BUFFER(const double, values, count), size_t count, double factor)),
    FUNCTION("08", place, const void *, place, (TROUPE_BUFFER(const double, values, count), size_t count, int row)),
  };
  for (size_t i = 0; i < sizeof factories / sizeof *factories; i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

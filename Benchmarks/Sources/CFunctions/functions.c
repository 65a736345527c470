#include "functions.h"

double scale(double x, int32_t count) { return x * count; }

int64_t sum(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g, int64_t h) {
  return a + b - c + d - e + f - g + h;
}

struct quad turn(struct quad quad) {
  struct quad turned = {quad.b, quad.a, quad.d, quad.c};
  return turned;
}

int32_t apply(int32_t (*function)(int32_t, int32_t), int32_t a, int32_t b) { return function(a, b); }

double sum_numbers(const double *numbers, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += numbers[i];
  return sum;
}

double multiply_numbers(double a, double b) { return a * b; }

/*
 * The C functions that the tests of calls over columns call. The tests add the functions `sum_N`.
 */
#include <complex.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

double area(double width, double height) { return width * height; }
struct point { double x, y; };
struct mixed { int32_t count; float ratio; double weights[3]; };
struct point middle(struct point a, struct point b) { return (struct point){(a.x + b.x) / 2, (a.y + b.y) / 2}; }
struct mixed scaled(struct mixed value, int8_t factor) {
  value.count *= factor;
  for (int i = 0; i < 3; i++) value.weights[i] *= factor;
  return value;
}
double norm(const struct point *point) { return point->x * point->x + point->y * point->y; }
long double longer(long double x, int y) { return x + y; }
double _Complex turned(double _Complex x) { return x * I; }
int divided(int a, int b, int *rest) {
  if (b == 0) { errno = EDOM; return -1; }
  *rest += a % b;
  return a / b;
}
int checked(int x) { return x == 13 ? 1 : 0; }
void counted(int *count, double step, double *total) { (*count)++; *total += step; }
int length(const char *text) { return text ? (int)strlen(text) : -1; }
const char *unchanged(const char *text) { return text; }
double polynomial(const double factors[], size_t count, double x) {
  double sum = 0;
  for (size_t i = count; i > 0; i--) sum = sum * x + factors[i - 1];
  return sum;
}
const void *address(const double factors[], size_t count, double x) { return factors; }
double element(const double *values, int rows, int columns, int row, int column) { return values[row * columns + column]; }
int words(const char *const list[]) { int n = 0; while (list[n]) n++; return n; }
enum color { red, green = 7 };
enum color next_color(enum color color) { return color == red ? green : red; }
static _Thread_local int calls;
int count_calls(void) { return ++calls; }
void silent(int x) { calls += x; }
int apply(int (*function)(int), int x) { return function(x); }
double seen[4];
const void *seen_columns[3];
void area_map(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data) {
  for (int i = 0; i < 3; i++) seen_columns[i] = args[i];
  for (intptr_t i = 0; i < dimensions[0]; i++)
    *(double *)(args[2] + i * steps[2]) = *(double *)(args[0] + i * steps[0]) * *(double *)(args[1] + i * steps[1]) + 1000;
}

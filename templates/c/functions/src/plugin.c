/*
 * Functions that the host calls with the values of its user.
 *
 * Each is a plain C function. A factory registers it with its type: the compiler checks the type, and the host
 * converts arguments and results by it. The functions keep no state, so that the host may call them on several
 * threads at once.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include <troupe.h>

TROUPE_PLUGIN("@ID@", "@TITLE@", "0.1.0")

/* Numbers. */
static double fahrenheit(double celsius) {
  return celsius * 9 / 5 + 32;
}

/* Text. The host releases the result with free(). A caller may pass NULL for a string. */
static char *greeting(const char *name) {
  const char *who = name == NULL ? "world" : name;
  int length = snprintf(NULL, 0, "Hello, %s!", who);
  char *text = malloc((size_t)length + 1);
  if (text != NULL) snprintf(text, (size_t)length + 1, "Hello, %s!", who);
  return text;
}

/* A buffer with its length. The caller passes an array, and the host the length. */
static double mean(const double *numbers, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += numbers[i];
  return count == 0 ? 0 : sum / (double)count;
}

/* A struct: one definition for C and for the signature. */
#define POINT TROUPE_STRUCT(point, double x, double y)
TROUPE_DEFINE(POINT);

static struct point midpoint(struct point a, struct point b) {
  return (struct point){(a.x + b.x) / 2, (a.y + b.y) / 2};
}

/* Results behind pointers, and an error: the host reports errno if the result is -1. */
static int divide(int dividend, int divisor, int *quotient, int *remainder) {
  if (divisor == 0 || (dividend == INT_MIN && divisor == -1)) {
    errno = EDOM;
    return -1;
  }
  *quotient = dividend / divisor;
  *remainder = dividend % divisor;
  return 0;
}

/* A callback: the caller passes a function of this type, such as the next one. The host returns the changed buffer. */
static void sort(int *numbers, size_t count, int (*precedes)(int a, int b)) {
  if (precedes == NULL) return;
  for (size_t end = 1; end < count; end++) {
    int number = numbers[end];
    size_t i = end;
    for (; i > 0 && precedes(number, numbers[i - 1]); i--) numbers[i] = numbers[i - 1];
    numbers[i] = number;
  }
}

static int descending(int a, int b) {
  return a > b;
}

static const char *const tags[] = {"@NAME@"};

static const troupe_metadata about_fahrenheit[] = {
  TROUPE_DESCRIPTION("Converts a temperature from degrees Celsius to degrees Fahrenheit."),
  TROUPE_PARAMETER("celsius", "The temperature in degrees Celsius."), TROUPE_EXAMPLE("100", "212")};
static const troupe_metadata about_greeting[] = {
  TROUPE_DESCRIPTION("Greets someone by name."), TROUPE_EXAMPLE("\"Ada\"", "\"Hello, Ada!\"")};
static const troupe_metadata about_mean[] = {TROUPE_DESCRIPTION("Returns the arithmetic mean, 0 without numbers.")};
static const troupe_metadata about_midpoint[] = {TROUPE_DESCRIPTION("Returns the point in the middle of two points.")};
static const troupe_metadata about_divide[] = {TROUPE_DESCRIPTION("Divides two integers. A divisor of 0 is the error EDOM.")};
static const troupe_metadata about_sort[] = {TROUPE_DESCRIPTION("Sorts integers with a function such as descending.")};
static const troupe_metadata about_descending[] = {TROUPE_DESCRIPTION("Returns whether the first integer is larger.")};

static const troupe_factory factories[] = {
  TROUPE_FACTORY_WITH(about_fahrenheit, "@UUID1@", "fahrenheit", tags,
                      double, fahrenheit, (double celsius)),
  TROUPE_FACTORY_WITH(about_greeting, "@UUID2@", "greeting", tags,
                      TROUPE_OWNED(free, char *), greeting, (const char *name)),
  TROUPE_FACTORY_WITH(about_mean, "@UUID3@", "mean", tags,
                      double, mean, (TROUPE_BUFFER(const double, numbers, count), size_t count)),
  TROUPE_FACTORY_WITH(about_midpoint, "@UUID4@", "midpoint", tags,
                      struct point, midpoint, (struct point a, struct point b), POINT),
  TROUPE_FACTORY_WITH(about_divide, "@UUID5@", "divide", tags, TROUPE_ERRNO(int), divide,
                      (int dividend, int divisor, TROUPE_OUT(int *quotient), TROUPE_OUT(int *remainder))),
  TROUPE_FACTORY_WITH(about_sort, "@UUID6@", "sort", tags,
                      void, sort, (TROUPE_BUFFER(int, numbers, count), size_t count, int (*precedes)(int a, int b))),
  TROUPE_FACTORY_WITH(about_descending, "@UUID7@", "descending", tags,
                      int, descending, (int a, int b)),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  for (size_t i = 0; i < sizeof factories / sizeof *factories; i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

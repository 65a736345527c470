// Functions that the host calls with the values of its user.
//
// Each has the type of a C function. A factory registers it with this type: the compiler checks the type, and the
// host converts arguments and results by it. No exception may leave a function. The functions keep no state, so that
// the host may call them on several threads at once.
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include <troupe.h>

#include "guard.hpp"

TROUPE_PLUGIN("@ID@", "@TITLE@", "0.1.0")

// A struct: one definition for C++ and for the signature.
#define POINT TROUPE_STRUCT(point, double x, double y)
TROUPE_DEFINE(POINT);

namespace {

// Numbers.
double fahrenheit(double celsius) noexcept {
  return celsius * 9 / 5 + 32;
}

// Text. The host releases the result with free(). A caller may pass null for a string.
char *greeting(const char *name) noexcept {
  char *made = nullptr;
  guard([](const char *) {},
        [&]() -> troupe_status {
          const std::string text = "Hello, " + std::string(name == nullptr ? "world" : name) + "!";
          made = strdup(text.c_str());
          return TROUPE_OK;
        });
  return made;
}

// A buffer with its length. The caller passes an array, and the host the length.
double mean(const double *numbers, std::size_t count) noexcept {
  return count == 0 ? 0 : std::accumulate(numbers, numbers + count, 0.0) / static_cast<double>(count);
}

point midpoint(point a, point b) noexcept {
  return {(a.x + b.x) / 2, (a.y + b.y) / 2};
}

// Results behind pointers, and an error: the host reports errno if the result is -1.
int divide(int dividend, int divisor, int *quotient, int *remainder) noexcept {
  if (divisor == 0 || (dividend == INT_MIN && divisor == -1)) {
    errno = EDOM;
    return -1;
  }
  *quotient = dividend / divisor;
  *remainder = dividend % divisor;
  return 0;
}

// A callback: the caller passes a function of this type, such as the next one. The host returns the changed buffer.
// The order may be inconsistent, so that std::sort could read out of bounds.
void sort(int *numbers, std::size_t count, int (*precedes)(int a, int b)) noexcept {
  if (precedes == nullptr) return;
  for (std::size_t end = 1; end < count; end++) {
    for (std::size_t i = end; i > 0 && precedes(numbers[i], numbers[i - 1]); i--) std::swap(numbers[i], numbers[i - 1]);
  }
}

int descending(int a, int b) noexcept {
  return a > b;
}

const char *const tags[] = {"@NAME@"};

const troupe_metadata about_fahrenheit[] = {
  TROUPE_DESCRIPTION("Converts a temperature from degrees Celsius to degrees Fahrenheit."),
  TROUPE_PARAMETER("celsius", "The temperature in degrees Celsius."), TROUPE_EXAMPLE("100", "212")};
const troupe_metadata about_greeting[] = {
  TROUPE_DESCRIPTION("Greets someone by name."), TROUPE_EXAMPLE("\"Ada\"", "\"Hello, Ada!\"")};
const troupe_metadata about_mean[] = {TROUPE_DESCRIPTION("Returns the arithmetic mean, 0 without numbers.")};
const troupe_metadata about_midpoint[] = {TROUPE_DESCRIPTION("Returns the point in the middle of two points.")};
const troupe_metadata about_divide[] = {TROUPE_DESCRIPTION("Divides two integers. A divisor of 0 is the error EDOM.")};
const troupe_metadata about_sort[] = {TROUPE_DESCRIPTION("Sorts integers with a function such as descending.")};
const troupe_metadata about_descending[] = {TROUPE_DESCRIPTION("Returns whether the first integer is larger.")};

}  // namespace

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  const troupe_factory factories[] = {
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
  for (const troupe_factory &factory : factories) {
    const troupe_status status = registrar->register_factory(registrar, &factory);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

#include <stddef.h>
#include <time.h>

#include "../../../include/troupe-host.h"
#include "functions.h"

#define COUNT 300000
#define ROUNDS 15

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* What the compiler must not see through. */
static volatile double number;

static double area(double width, double height) { return width * height; }
static double (*volatile own_area)(double, double) = area;

struct host_times measure_host(const char *directory) {
  struct host_times best = {1e18, 1e18, 1e18};
  troupe_host_options options = {.struct_size = sizeof options, .directories = &directory, .directory_count = 1};
  troupe_host_t *host = troupe_host_start(&options, NULL);
  troupe_function_t *function = host ? troupe_host_function(host, "area", NULL) : NULL;
  double (*address)(double, double) =
    function ? (double (*)(double, double))troupe_function_address(function, "double (double, double)", NULL) : NULL;
  if (address == NULL) return (struct host_times){-1, -1, -1};
  double (*direct)(double, double) = own_area;
  double total = 0;
#define MEASURE(member, ...)                                       \
  do {                                                           \
    double start = now();                                        \
    for (int index = 0; index < COUNT; index++) { __VA_ARGS__; } \
    double nanoseconds = (now() - start) / COUNT;                \
    if (nanoseconds < best.member) best.member = nanoseconds;        \
    number = total;                                              \
  } while (0)
  for (int round = 0; round < ROUNDS; round++) {
    MEASURE(direct, total += direct(index, 2));
    MEASURE(address, total += address(index, 2));
    MEASURE(call, {
      troupe_call_value sides[] = {TROUPE_DOUBLE(index), TROUPE_DOUBLE(2)}, result;
      if (troupe_function_call(function, sides, 2, &result, NULL) == TROUPE_OK) total += result.as.float64;
    });
  }
  troupe_function_free(function);
  troupe_host_free(host);
  return best;
}

#include <fcntl.h>
#include <ffi.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "functions.h"

#define COUNT 300000
#define ROUNDS 15

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* What the compiler must not see through. */
static volatile double number = 1.5;
static void *volatile pointer;

#define MEASURE(statement)                                       \
  double best = 1e18;                                            \
  for (int round = 0; round < ROUNDS; round++) {                 \
    double start = now();                                        \
    for (int index = 0; index < COUNT; index++) { statement; }   \
    double time = (now() - start) / COUNT;                       \
    if (time < best) best = time;                                \
  }                                                              \
  return best;

double direct_scale(void) {
  pointer = (void *)scale;
  double (*function)(double, int32_t) = (double (*)(double, int32_t))pointer;
  double total = 0;
  MEASURE(total += function(1.5, 2); number = total)
}

double ffi_scale(void) {
  ffi_cif interface;
  ffi_type *types[] = {&ffi_type_double, &ffi_type_sint32};
  ffi_prep_cif(&interface, FFI_DEFAULT_ABI, 2, &ffi_type_double, types);
  double x = 1.5, result, total = 0;
  int32_t count = 2;
  void *arguments[] = {&x, &count};
  MEASURE(ffi_call(&interface, FFI_FN(scale), &result, arguments); total += result; number = total)
}

double ffi_sum(void) {
  ffi_cif interface;
  ffi_type *types[8];
  int64_t values[8], result, total = 0;
  void *arguments[8];
  for (int index = 0; index < 8; index++) {
    types[index] = &ffi_type_sint64;
    values[index] = index;
    arguments[index] = &values[index];
  }
  ffi_prep_cif(&interface, FFI_DEFAULT_ABI, 8, &ffi_type_sint64, types);
  MEASURE(ffi_call(&interface, FFI_FN(sum), &result, arguments); total += result; number = (double)total)
}

double ffi_turn(void) {
  ffi_type *members[] = {&ffi_type_double, &ffi_type_double, &ffi_type_sint64, &ffi_type_sint64, NULL};
  ffi_type quad = {0, 0, FFI_TYPE_STRUCT, members};
  ffi_cif interface;
  ffi_type *types[] = {&quad};
  ffi_prep_cif(&interface, FFI_DEFAULT_ABI, 1, &quad, types);
  struct quad value = {1, 2, 3, 4}, result;
  void *arguments[] = {&value};
  MEASURE(ffi_call(&interface, FFI_FN(turn), &result, arguments); number = result.a)
}

double round_trip(int32_t (*function)(int32_t, int32_t)) {
  int32_t total = 0;
  MEASURE(total += apply(function, index, 2); number = total)
}

static void add(ffi_cif *interface, void *result, void **arguments, void *context) {
  (void)interface;
  (void)context;
  *(ffi_sarg *)result = *(int32_t *)arguments[0] + *(int32_t *)arguments[1];
}

double ffi_closure_round_trip(void) {
  ffi_cif interface;
  ffi_type *types[] = {&ffi_type_sint32, &ffi_type_sint32};
  void *code;
  ffi_closure *closure = ffi_closure_alloc(sizeof(ffi_closure), &code);
  if (closure == NULL) return -1;
  ffi_prep_cif(&interface, FFI_DEFAULT_ABI, 2, &ffi_type_sint32, types);
  ffi_prep_closure_loc(closure, &interface, add, NULL, code);
  return round_trip((int32_t (*)(int32_t, int32_t))code);
}

double run_program(const char *path, const char *first, const char *second, const char *third) {
  extern char **environ;
  char *arguments[] = {(char *)path, (char *)first, (char *)second, (char *)third, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  double start = now();
  pid_t child;
  int status = -1;
  int failed = posix_spawn(&child, path, &actions, NULL, arguments, environ) != 0 || waitpid(child, &status, 0) != child;
  double time = now() - start;
  posix_spawn_file_actions_destroy(&actions);
  return failed || status != 0 ? -1 : time;
}

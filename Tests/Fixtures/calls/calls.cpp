// Tests Sources/CCallbacks/call.S; see scripts/check-calls.
#include <cassert>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include "calls.h"
}

static_assert(sizeof(troupe_registers) == TROUPE_STACK, "");

static constexpr long integer_count = sizeof(troupe_registers::integers) / 8;

// The registers of a call with room for many stack words.
static union {
  troupe_registers registers;
  uint64_t words[40000];
} call;

static uint64_t *stack() { return call.words + TROUPE_STACK / 8; }
static double number(int offset) {
  double result;
  std::memcpy(&result, (char *)&call + offset, sizeof result);
  return result;
}

// Fills the integers with 1, 2, ..., the floats with 0.5, 1.5, ..., and the stack words with 100, 101, ...
static void fill(size_t stack_words) {
  std::memset(&call, 0, sizeof call);
  for (long index = 0; index < integer_count; index++) call.registers.integers[index] = (uint64_t)index + 1;
  for (int index = 0; index < 8; index++) {
    double value = index + 0.5;
    std::memcpy((char *)&call + TROUPE_FLOATS + index * TROUPE_FLOAT_SIZE, &value, sizeof value);
  }
  for (size_t index = 0; index < stack_words; index++) stack()[index] = 100 + index;
}

template <class Function> static void run(Function *function, size_t stack_words = 0) {
  troupe_call(reinterpret_cast<const void *>(function), &call.registers, stack_words);
}

#if defined(__aarch64__)
#define INTEGERS long a, long b, long c, long d, long e, long f, long g, long h
#define INTEGER_SUM (a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h)
static constexpr long integer_sum = 204;
static constexpr int first_integer = TROUPE_RESULTS;
#else
#define INTEGERS long a, long b, long c, long d, long e, long f
#define INTEGER_SUM (a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f)
static constexpr long integer_sum = 91;
static constexpr int first_integer = TROUPE_RESULTS + 8, mixed_integer = TROUPE_RESULTS + 24;
#endif
#define FLOATS double s, double t, double u, double v, double w, double x, double y, double z
#define FLOAT_SUM (s + 2 * t + 3 * u + 4 * v + 5 * w + 6 * x + 7 * y + 8 * z)
static constexpr double float_sum = 186;

static uint64_t integer(int offset) { return call.words[offset / 8]; }

static long sum_integers(INTEGERS) { return INTEGER_SUM; }
static double sum_all(INTEGERS, FLOATS) { return (double)INTEGER_SUM + 1000 * FLOAT_SUM; }
static long sum_stack(INTEGERS, FLOATS, long first, long second, long third) {
  // A function may use instructions that need a stack aligned to 16 bytes.
  alignas(16) char local[16];
  assert((uintptr_t)__builtin_frame_address(0) % 16 == 0 && (uintptr_t)local % 16 == 0);
  return INTEGER_SUM + (long)FLOAT_SUM + first + 2 * second + 3 * third;
}
static double sum_variable(int count, ...) {
  va_list list;
  va_start(list, count);
  double sum = 0;
  for (int index = 0; index < count; index++) sum += va_arg(list, double);
  va_end(list);
  return sum;
}

struct integers { long a, b; };
struct floats { double a, b; };
struct large { long values[5]; };
static integers two_integers() { return {7, 8}; }
static floats two_floats() { return {7.5, 8.5}; }
static large in_memory(long first) { return {{first, 2, 3, 4, 5}}; }
struct bytes { uint64_t words[32001]; };
static uint64_t last_word(bytes value) { return value.words[32000]; }
#if defined(__aarch64__)
struct four_floats { double a, b, c, d; };
static four_floats four() { return {1.5, 2.5, 3.5, 4.5}; }
static long double quad(long double value) { return value + 1; }
#else
struct integer_float { long a; double b; };
struct float_integer { double a; long b; };
static integer_float mixed() { return {7, 8.5}; }
static float_integer mixed_other() { return {7.5, 8}; }
static long double extended(long double value) { return value + 1; }
static _Complex long double extended_pair() {
  _Complex long double pair;
  __real__ pair = 1.5L;
  __imag__ pair = 2.5L;
  return pair;
}
#endif

static int destroyed;
struct Guard {
  ~Guard() { destroyed++; }
};
static void throw_number(long first) {
  Guard guard;
  throw first + 41;
}
static void catch_number(size_t stack_words) {
  fill(stack_words);
  destroyed = 0;
  long caught = 0;
  try {
    Guard guard;
    run(throw_number, stack_words);
  } catch (long value) { caught = value; }
  assert(caught == 42 && destroyed == 2);
}

static char *guard_page;
static void on_fault(int, siginfo_t *info, void *) {
  char *address = (char *)info->si_addr;
  _exit(address >= guard_page && address < guard_page + 65536 ? 0 : 1);
}
static void *overflow(void *) {
  stack_t alternative = {};
  alternative.ss_sp = std::malloc(65536);
  alternative.ss_size = 65536;
  sigaltstack(&alternative, nullptr);
  run(sum_integers, 39000);
  _exit(2);
}
// Calls with more words than a thread's stack has, below which are a guard page and other memory.
static void overflow_stack() {
  fill(0);
  char *memory = (char *)mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  guard_page = memory + (1 << 19);
  mprotect(guard_page, 65536, PROT_NONE);
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, guard_page + 65536, 1 << 18);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, overflow, nullptr) == 0) pthread_join(thread, nullptr);
  _exit(3);
}

int main() {
  fill(0);
  run(sum_integers);
  assert(integer(first_integer) == integer_sum);
  run(sum_all);
  assert(number(TROUPE_FLOAT_RESULTS) == integer_sum + 1000 * float_sum);
  for (size_t words = 3; words <= 6; words++) {
    fill(words);
    run(sum_stack, words);
    assert(integer(first_integer) == integer_sum + float_sum + 100 + 202 + 306);
  }

  fill(4);
  call.registers.integers[0] = 12;
  for (size_t index = 0; index < 4; index++) {
    double value = (double)index;
    std::memcpy(stack() + index, &value, sizeof value);
  }
  run(sum_variable, 4);
  assert(number(TROUPE_FLOAT_RESULTS) == 32 + 6);

  fill(0);
  run(two_integers);
  assert(integer(first_integer) == 7 && integer(first_integer + 8) == 8);
  run(two_floats);
  assert(number(TROUPE_FLOAT_RESULTS) == 7.5 && number(TROUPE_FLOAT_RESULTS + TROUPE_FLOAT_SIZE) == 8.5);

  fill(0);
  large result = {};
#if defined(__aarch64__)
  call.registers.result_parameter = (uint64_t)&result;
#else
  call.registers.integers[0] = (uint64_t)&result;
  call.registers.integers[1] = 1;
#endif
  run(in_memory);
  assert(result.values[0] == 1 && result.values[4] == 5);

  fill(32001);
#if defined(__aarch64__)
  call.registers.integers[0] = (uint64_t)stack();
#endif
  run(last_word, 32001);
  assert(integer(first_integer) == 32100);

  fill(0);
#if defined(__aarch64__)
  run(four);
  for (int index = 0; index < 4; index++) assert(number(TROUPE_FLOAT_RESULTS + 16 * index) == index + 1.5);
  long double value = 41.25L;
  std::memcpy(call.registers.floats, &value, sizeof value);
  run(quad);
  std::memcpy(&value, call.words + TROUPE_FLOAT_RESULTS / 8, sizeof value);
  assert(value == 42.25L);
#else
  run(mixed);
  assert(integer(mixed_integer) == 7 && number(mixed_integer + 8) == 8.5);
  run(mixed_other);
  assert(number(TROUPE_RESULTS) == 7.5 && integer(TROUPE_RESULTS + 8) == 8);
  // More often than there are x87 registers.
  for (int index = 0; index < 20; index++) {
    long double value = 41.25L, pair[2];
    std::memcpy(stack(), &value, sizeof value);
    call.registers.result_parameter = 1;
    run(extended, 2);
    std::memcpy(&value, call.registers.results, sizeof value);
    assert(value == 42.25L);
    call.registers.result_parameter = 2;
    run(extended_pair);
    std::memcpy(pair, call.registers.results, sizeof pair);
    assert(pair[0] == 1.5L && pair[1] == 2.5L);
  }
#endif

  for (size_t words = 0; words < 20001; words += 4001) catch_number(words);

  pid_t child = fork();
  if (child == 0) overflow_stack();
  int status = 1;
  waitpid(child, &status, 0);
  assert(status == 0);
}

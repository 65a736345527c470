/*
 * Calls a function through registers, without libffi.
 *
 * On x86-64 System V and on AArch64 integer and floating-point arguments are assigned to registers independently of each
 * other, and the rest follows on the stack in words of eight bytes. A call that loads every argument register and pushes some
 * words therefore passes the arguments of any signature. The function ignores the registers and words that it has no
 * parameters for. RegisterPlan in Swift decides where each argument goes.
 *
 * System V Application Binary Interface, AMD64 Architecture Processor Supplement, section 3.2.3; Procedure Call Standard for
 * the Arm 64-bit Architecture, section 6.8.
 */
#ifndef TROUPE_CFFI_REGISTERS_H
#define TROUPE_CFFI_REGISTERS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__aarch64__)
#define TROUPE_INTEGER_REGISTERS 8
#define TROUPE_INTEGERS(r) r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]
#define TROUPE_INTEGER_TYPES uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t
#else
#define TROUPE_INTEGER_REGISTERS 6
#define TROUPE_INTEGERS(r) r[0], r[1], r[2], r[3], r[4], r[5]
#define TROUPE_INTEGER_TYPES uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t
#endif
#define TROUPE_FLOAT_REGISTERS 8
#define TROUPE_FLOATS(r) r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]
#define TROUPE_STACK_WORDS 16
#define TROUPE_STACK(w) \
  w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15]

/*
 * The registers, and the stack, when the function begins. A float is in the lower half of its double. A call with more stack
 * words needs memory for troupe_stack_room words.
 */
struct troupe_registers {
  uint64_t integers[TROUPE_INTEGER_REGISTERS];
  double floats[TROUPE_FLOAT_REGISTERS];
  uint64_t stack[TROUPE_STACK_WORDS];
};

/* The registers of a result. The first kind is also that of no result. The last two exist on x86-64 only. */
enum troupe_result {
  TROUPE_RESULT_INTEGERS,
  TROUPE_RESULT_FLOATS,
  TROUPE_RESULT_INTEGER_FLOAT,
  TROUPE_RESULT_FLOAT_INTEGER,
  TROUPE_RESULT_LONG_DOUBLE,
  TROUPE_RESULT_COMPLEX_LONG_DOUBLE
};

struct troupe_integers { uint64_t first, second; };
struct troupe_floats { double first, second; };
struct troupe_integer_float { uint64_t first; double second; };
struct troupe_float_integer { double first; uint64_t second; };

#define TROUPE_CALL_AS(type, types, ...)                                 \
  {                                                                      \
    struct type value = ((struct type(*) types)function)(__VA_ARGS__);   \
    memcpy(result, &value, sizeof value);                                \
  }

#if defined(__x86_64__)
/* An x87 register has ten bytes. The padding behind them stays as it is. */
#define TROUPE_CALL_X87(types, ...)                                                     \
  case TROUPE_RESULT_LONG_DOUBLE: {                                                     \
    long double value = ((long double(*) types)function)(__VA_ARGS__);                  \
    memcpy(result, &value, 10);                                                         \
  } break;                                                                              \
  case TROUPE_RESULT_COMPLEX_LONG_DOUBLE: {                                             \
    long double _Complex value = ((long double _Complex(*) types)function)(__VA_ARGS__); \
    memcpy(result, &value, 10);                                                         \
    memcpy((char *)result + sizeof(long double), (char *)&value + sizeof(long double), 10); \
  } break;
#else
#define TROUPE_CALL_X87(types, ...)          \
  case TROUPE_RESULT_LONG_DOUBLE:            \
  case TROUPE_RESULT_COMPLEX_LONG_DOUBLE: break;
#endif

#define TROUPE_CALL_EACH(types, ...)                                                              \
  switch (kind) {                                                                                 \
    case TROUPE_RESULT_INTEGERS: TROUPE_CALL_AS(troupe_integers, types, __VA_ARGS__) break;       \
    case TROUPE_RESULT_FLOATS: TROUPE_CALL_AS(troupe_floats, types, __VA_ARGS__) break;           \
    case TROUPE_RESULT_INTEGER_FLOAT: TROUPE_CALL_AS(troupe_integer_float, types, __VA_ARGS__) break; \
    case TROUPE_RESULT_FLOAT_INTEGER: TROUPE_CALL_AS(troupe_float_integer, types, __VA_ARGS__) break; \
    TROUPE_CALL_X87(types, __VA_ARGS__)                                                           \
  }

#if defined(__x86_64__)
/*
 * Calls with more stack words. A large struct by value is copied to the stack, behind all registers, so that each of these
 * functions pushes that many words. They are functions of their own because a caller reserves the stack for its largest call.
 * A function with variable arguments reads the number of floating-point registers, which a call through `...` passes.
 */
#define TROUPE_DEFINE_STACK_CALL(words)                                                                                 \
  struct troupe_stack_##words { uint64_t value[words]; };                                                               \
  static __attribute__((noinline)) void troupe_call_stack_##words(                                                      \
      const void *function, const struct troupe_registers *registers, enum troupe_result kind, void *result) {          \
    const uint64_t *i = registers->integers;                                                                            \
    const double *f = registers->floats;                                                                                \
    const struct troupe_stack_##words *s =                                                                              \
        (const struct troupe_stack_##words *)((const char *)registers + offsetof(struct troupe_registers, stack));      \
    TROUPE_CALL_EACH((TROUPE_INTEGER_TYPES, ...), TROUPE_INTEGERS(i), TROUPE_FLOATS(f), *s)                             \
  }

TROUPE_DEFINE_STACK_CALL(64)
TROUPE_DEFINE_STACK_CALL(256)
TROUPE_DEFINE_STACK_CALL(1024)
TROUPE_DEFINE_STACK_CALL(4096)
TROUPE_DEFINE_STACK_CALL(16384)
TROUPE_DEFINE_STACK_CALL(36864)

#define TROUPE_EACH_LARGE_STACK(do) do(64) do(256) do(1024) do(4096) do(16384) do(36864)
#else
#define TROUPE_EACH_LARGE_STACK(do)
#endif

/* Returns the number of stack words to reserve for a call that needs `stack_words`; 0 if no call has room for so many. */
static inline int troupe_stack_room(int stack_words) {
#define TROUPE_ROOM(words) if (stack_words <= words) return words;
  TROUPE_ROOM(TROUPE_STACK_WORDS)
  TROUPE_EACH_LARGE_STACK(TROUPE_ROOM)
#undef TROUPE_ROOM
  return 0;
}

/* As in <pthread.h>, which declares this extension only with _GNU_SOURCE. */
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);

/*
 * Returns the number of bytes that are left of the thread's stack; 0 if that is unknown or the thread runs on another stack, such as
 * that of a coroutine.
 */
static inline long troupe_stack_rest(void) {
  pthread_attr_t attributes;
  void *start;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  int code = pthread_attr_getstack(&attributes, &start, &size);
  uintptr_t rest = (uintptr_t)&attributes - (uintptr_t)start;
  pthread_attr_destroy(&attributes);
  return code == 0 && rest < size ? (long)rest : 0;
}

/*
 * Calls `function` with `registers`, and with its stack words if there are any; leaves two words at `result`, or one or two x87
 * numbers of 16 bytes each. `uses_floats` is set for every function with variable arguments.
 */
static inline void troupe_call_registers(const void *function, const struct troupe_registers *registers, int uses_floats,
                                         int stack_words, enum troupe_result kind, void *result) {
  const uint64_t *i = registers->integers;
  const double *f = registers->floats;
  const uint64_t *s = registers->stack;
  if (stack_words > TROUPE_STACK_WORDS) {
#define TROUPE_STACK_CALL(words) \
  if (stack_words <= words) { troupe_call_stack_##words(function, registers, kind, result); return; }
    TROUPE_EACH_LARGE_STACK(TROUPE_STACK_CALL)
#undef TROUPE_STACK_CALL
  } else if (stack_words > 0) {
    TROUPE_CALL_EACH((TROUPE_INTEGER_TYPES, ...), TROUPE_INTEGERS(i), TROUPE_FLOATS(f), TROUPE_STACK(s))
  } else if (uses_floats) {
    TROUPE_CALL_EACH((TROUPE_INTEGER_TYPES, ...), TROUPE_INTEGERS(i), TROUPE_FLOATS(f))
  } else {
    TROUPE_CALL_EACH((TROUPE_INTEGER_TYPES), TROUPE_INTEGERS(i))
  }
}

#undef TROUPE_CALL_AS
#undef TROUPE_CALL_X87
#undef TROUPE_CALL_EACH
#undef TROUPE_DEFINE_STACK_CALL
#undef TROUPE_EACH_LARGE_STACK

#endif /* TROUPE_CFFI_REGISTERS_H */

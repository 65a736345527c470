/*
 * Calls a function through registers, without libffi.
 *
 * On x86-64 System V and on AArch64 integer and floating-point arguments are assigned to registers independently of each
 * other, and what does not fit follows on the stack in words of eight bytes. So a call that loads every argument register,
 * and pushes a few words, passes whatever any signature wants there; registers and words that a function does not look at do
 * no harm. What goes where is Swift's business (RegisterPlan).
 *
 * System V Application Binary Interface, AMD64 Architecture Processor Supplement, section 3.2.3; Procedure Call Standard for
 * the Arm 64-bit Architecture, section 6.8.
 */
#ifndef TROUPE_CFFI_REGISTERS_H
#define TROUPE_CFFI_REGISTERS_H

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
#define TROUPE_FLOAT_TYPES double, double, double, double, double, double, double, double
#define TROUPE_STACK_WORDS 16
#define TROUPE_STACK(w) \
  w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15]
#define TROUPE_STACK_TYPES                                                                                     \
  uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, \
      uint64_t, uint64_t, uint64_t, uint64_t, uint64_t

/* What is in the registers, and on the stack, when the function begins. A float is in the lower half of its double. */
struct troupe_registers {
  uint64_t integers[TROUPE_INTEGER_REGISTERS];
  double floats[TROUPE_FLOAT_REGISTERS];
  uint64_t stack[TROUPE_STACK_WORDS];
};

/* Where the two words of a result are. The first kind is also that of no result. */
enum troupe_result {
  TROUPE_RESULT_INTEGERS,
  TROUPE_RESULT_FLOATS,
  TROUPE_RESULT_INTEGER_FLOAT,
  TROUPE_RESULT_FLOAT_INTEGER
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

#define TROUPE_CALL_EACH(types, ...)                                                              \
  switch (kind) {                                                                                 \
    case TROUPE_RESULT_INTEGERS: TROUPE_CALL_AS(troupe_integers, types, __VA_ARGS__) break;       \
    case TROUPE_RESULT_FLOATS: TROUPE_CALL_AS(troupe_floats, types, __VA_ARGS__) break;           \
    case TROUPE_RESULT_INTEGER_FLOAT: TROUPE_CALL_AS(troupe_integer_float, types, __VA_ARGS__) break; \
    case TROUPE_RESULT_FLOAT_INTEGER: TROUPE_CALL_AS(troupe_float_integer, types, __VA_ARGS__) break; \
  }

/*
 * Calls `function` with `registers`, and with its stack words if there are any; leaves two words at `result`.
 */
static inline void troupe_call_registers(const void *function, const struct troupe_registers *registers, int uses_floats,
                                         int stack_words, enum troupe_result kind, void *result) {
  const uint64_t *i = registers->integers;
  const double *f = registers->floats;
  const uint64_t *s = registers->stack;
  if (stack_words > 0) {
    TROUPE_CALL_EACH((TROUPE_INTEGER_TYPES, TROUPE_FLOAT_TYPES, TROUPE_STACK_TYPES), TROUPE_INTEGERS(i), TROUPE_FLOATS(f),
                     TROUPE_STACK(s))
  } else if (uses_floats) {
    TROUPE_CALL_EACH((TROUPE_INTEGER_TYPES, TROUPE_FLOAT_TYPES), TROUPE_INTEGERS(i), TROUPE_FLOATS(f))
  } else {
    TROUPE_CALL_EACH((TROUPE_INTEGER_TYPES), TROUPE_INTEGERS(i))
  }
}

#undef TROUPE_CALL_AS
#undef TROUPE_CALL_EACH

#endif /* TROUPE_CFFI_REGISTERS_H */

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
#ifndef TROUPE_CALLS_H
#define TROUPE_CALLS_H

/* Offsets in a struct troupe_registers, and sizes in bytes of its floating-point registers. */
#if defined(__aarch64__)
#define TROUPE_FLOATS 64
#define TROUPE_FLOAT_SIZE 16
#define TROUPE_RESULTS 208
#define TROUPE_FLOAT_RESULTS 224
#define TROUPE_STACK 288
#else
#define TROUPE_FLOATS 48
#define TROUPE_FLOAT_SIZE 8
#define TROUPE_RESULTS 128
#define TROUPE_FLOAT_RESULTS 160
#define TROUPE_STACK 176
#endif

#ifndef __ASSEMBLER__
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* The arguments and the results of a call. A float is in the lower half of a word. */
struct troupe_registers {
  uint64_t integers[TROUPE_FLOATS / 8];
  uint64_t floats[8][TROUPE_FLOAT_SIZE / 8];
  /* AArch64: x8, the address of a result in memory. x86-64: the number of results in x87 registers; to pop an empty one is a fault. */
  uint64_t result_parameter;
  uint64_t unused;
  /* AArch64: x0 x1, v0 to v3. x86-64: st(0) st(1); or xmm0 rax rdx rax xmm0 xmm1, where the two words of any struct are neighbors. */
  uint64_t results[(TROUPE_STACK - TROUPE_RESULTS) / 8];
  /* The words of the stack, with room for an even number of them. */
  uint64_t stack[];
};

/*
 * Calls `function` with the registers and stack words in `registers`, and writes the results there. In assembly, because C can call a
 * function only with its own type. Touches each page of the stack in order, so that a stack that is too small faults at its guard page.
 */
void troupe_call(const void *function, struct troupe_registers *registers, size_t stack_words);

/* Returns NULL in all registers that may hold a pointer. Stands for any function whose result is not in an x87 register. */
struct troupe_zeros {
  void *first, *second;
};
struct troupe_zeros troupe_return_zeros(void);

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
#endif

#endif /* TROUPE_CALLS_H */

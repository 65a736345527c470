/*
 * Finds the instruction that a signal interrupted. For the signal handlers of probes and workers.
 */
#ifndef TROUPE_INSTRUCTION_H
#define TROUPE_INSTRUCTION_H

#include <stdint.h>
#include <ucontext.h>

/* Returns the address of the interrupted instruction, or 0 on other machines. Needs _GNU_SOURCE. */
static inline uint64_t troupe_instruction(const ucontext_t *context) {
#if defined(__x86_64__)
  /* REG_RIP, which the C library declares with _GNU_SOURCE only. */
  return (uint64_t)context->uc_mcontext.gregs[16];
#elif defined(__aarch64__)
  return context->uc_mcontext.pc;
#elif defined(__riscv)
  return context->uc_mcontext.__gregs[0];
#else
  (void)context;
  return 0;
#endif
}

#endif

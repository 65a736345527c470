#define _GNU_SOURCE
#include "backtrace.h"

#include <errno.h>
#include <execinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns the return address of a function that has just been called, or 0. */
static uint64_t caller(const ucontext_t *context) {
#if defined(__x86_64__)
  /* The kernel reads a set of signals of 8 bytes before it refuses to do something unknown with it, so that the error tells whether the
   * stack is readable. Workers have no call for that purpose, such as process_vm_readv. */
  const long unknown = -1, size = 8;
  const uint64_t *stack = (const uint64_t *)context->uc_mcontext.gregs[REG_RSP];
  return syscall(SYS_rt_sigprocmask, unknown, stack, NULL, size) != 0 && errno == EINVAL ? *stack : 0;
#elif defined(__aarch64__)
  return context->uc_mcontext.regs[30];
#elif defined(__riscv)
  return context->uc_mcontext.__gregs[REG_RA];
#else
  (void)context;
  return 0;
#endif
}

uint32_t troupe_calls(const ucontext_t *context, uint64_t calls[]) {
  uint64_t instruction = troupe_instruction(context);
  void *frames[troupe_most_calls];
  int count = backtrace(frames, troupe_most_calls);
  int is_call = 0;
  for (int frame = 0; frame < count; frame++) {
    calls[frame] = (uint64_t)(uintptr_t)frames[frame];
    is_call |= calls[frame] == instruction;
  }
  if (is_call) return (uint32_t)count;
  /* Without code at the address, unwinding fails; the caller is on the stack. */
  calls[0] = instruction;
  calls[1] = caller(context);
  return 2;
}

void troupe_prepare_calls(void) {
  /* The first call loads a library, which is not allowed in a handler. */
  void *frame;
  backtrace(&frame, 1);
}

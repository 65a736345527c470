#define _GNU_SOURCE
#include "calls.h"

#include <execinfo.h>
#include <sys/uio.h>
#include <unistd.h>

/* Returns the return address of a function that has just been called. */
static uint64_t caller(const ucontext_t *context) {
#if defined(__x86_64__)
  /* Through the kernel, since the address may not be readable. */
  uint64_t address = 0;
  struct iovec to = {&address, sizeof address}, from = {(void *)context->uc_mcontext.gregs[REG_RSP], sizeof address};
  process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  return address;
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

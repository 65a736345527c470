/*
 * A fence that one thread orders for all: when it returns, whatever other threads wrote before is visible, and they see what was
 * written before it. It lets those do without a fence that would cost them more than all they do. See membarrier(2).
 */
#ifndef TROUPE_CFFI_BARRIER_H
#define TROUPE_CFFI_BARRIER_H

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Whether the system does it. To be called once, before the first fence. */
static inline int troupe_barrier_prepare(void) {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/* The fence. */
static inline int troupe_barrier(void) {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

#endif /* TROUPE_CFFI_BARRIER_H */

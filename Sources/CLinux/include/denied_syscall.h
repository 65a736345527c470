/*
 * System calls that a sandbox or a container around the program may refuse, as a seccomp(2) filter does. Without a check the libraries
 * that make them crash, wait for ever, or report another cause.
 */
#ifndef CLINUX_DENIED_SYSCALL_H
#define CLINUX_DENIED_SYSCALL_H

#include <stdint.h>

/* The users of a system call. */
enum {
  LINUX_NEEDED_BY_FILES = 1,   /* reading directories */
  LINUX_NEEDED_BY_EVENTS = 2,  /* the sources and timers of Dispatch */
  LINUX_NEEDED_BY_PROBES = 4,
  LINUX_NEEDED_BY_WORKERS = 8
};

struct linux_denied_syscall {
  const char *name; /* such as "eventfd2"; NULL if no call is refused */
  int32_t error;    /* EPERM or ENOSYS */
};

/*
 * Makes each of the needed calls with arguments for which the kernel does nothing, and returns the first that a filter refuses. Takes
 * some microseconds. [any thread]
 */
struct linux_denied_syscall linux_denied_syscall(uint32_t needs);

#endif

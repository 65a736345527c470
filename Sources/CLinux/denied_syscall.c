#define _GNU_SOURCE
#include "denied_syscall.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  files = LINUX_NEEDED_BY_FILES,
  events = LINUX_NEEDED_BY_EVENTS,
  probes = LINUX_NEEDED_BY_PROBES,
  workers = LINUX_NEEDED_BY_WORKERS,
  processes = probes | workers
};

/*
 * System calls that Troupe needs, each with arguments for which it has no effect: the kernel rejects them with another error
 * than EPERM and ENOSYS, as EBADF for the descriptor -1, or the call only returns a fact. So EPERM or ENOSYS means that a
 * seccomp(2) filter around this process denies the call, or that the kernel lacks it.
 *
 * The list omits the calls without which no program starts, and those that Troupe can do without.
 */
static const struct {
  const char *name;
  long number;
  uint32_t needs;
  long arguments[5];
} calls[] = {
#define CALL(name, needs, ...) {#name, SYS_##name, needs, {__VA_ARGS__}}
  CALL(fcntl, files, -1, F_GETFD),
  CALL(getdents64, files, -1),
  CALL(epoll_create1, events, -1),
  CALL(epoll_ctl, events, -1),
  CALL(eventfd2, events, 0, -1),
  CALL(gettid, events, 0),
  /* CLONE_SIGHAND without CLONE_VM is invalid. */
  CALL(clone, processes, CLONE_SIGHAND),
  CALL(setpgid, processes, 0, -1),
  CALL(getpid, processes, 0),
  CALL(getppid, processes, 0),
#if defined(SYS_dup2)
  CALL(dup2, processes, -1, -1),
#else
  CALL(dup3, processes, -1, -1),
#endif
  CALL(prctl, workers, PR_GET_DUMPABLE),
  CALL(socketpair, probes, -1),
  CALL(sendto, probes, -1),
  CALL(recvfrom, probes, -1),
  CALL(sendmsg, probes, -1),
  CALL(recvmsg, probes, -1),
  CALL(getsockopt, probes, -1),
  CALL(shutdown, probes, -1),
  /* The options 0 are invalid. */
  CALL(waitid, probes, 0),
  CALL(memfd_create, workers, 0),
  CALL(ftruncate, workers, -1),
  CALL(pipe2, workers, 0, -1),
};

/*
 * Returns true if the kernel has landlock(7) and a filter denies its rules: a worker could then deny itself all files, and
 * grant itself none.
 */
static int refuses_landlock_rules(void) {
  enum { create_ruleset = 444, add_rule = 445, ask_version = 1 };
  return syscall(create_ruleset, NULL, 0, ask_version) > 0 && syscall(add_rule, -1, 0, NULL, 0) < 0 &&
         (errno == EPERM || errno == ENOSYS);
}

struct linux_denied_syscall linux_denied_syscall(uint32_t needs) {
  if (needs & LINUX_NEEDED_BY_WORKERS) needs |= LINUX_NEEDED_BY_EVENTS;
  for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) {
    if (!(calls[index].needs & needs)) continue;
    const long *arguments = calls[index].arguments;
    long result = syscall(calls[index].number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]);
    if (result < 0 && (errno == EPERM || errno == ENOSYS)) return (struct linux_denied_syscall){calls[index].name, errno};
  }
  if (needs & LINUX_NEEDED_BY_WORKERS && refuses_landlock_rules()) return (struct linux_denied_syscall){"landlock_add_rule", errno};
  return (struct linux_denied_syscall){NULL, 0};
}

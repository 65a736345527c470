#include "probe.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined(__riscv)
#define MACHINE AUDIT_ARCH_RISCV64
#endif

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
/* The lower half of an argument: process numbers and signals are ints. */
#define LOAD_ARGUMENT(index) LOAD(args[index])
/* Goes on behind the next `skipped` instructions if what was loaded is a number. */
#define SKIP_IF(number, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), skipped, 0)
#define SKIP_UNLESS(number, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), 0, skipped)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE(cause) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP | (cause))

/* The signals that end a process, and that somebody else may just as well have sent. */
#define REFUSE_ENDING                                                                                                       \
  SKIP_IF(SIGKILL, 5), SKIP_IF(SIGTERM, 4), SKIP_IF(SIGINT, 3), SKIP_IF(SIGHUP, 2), SKIP_IF(SIGPWR, 1), ALLOW,            \
    REFUSE(TROUPE_PROBE_ENDS_ITSELF)

int troupe_probe_refuse_signals_to_others(void) {
#if defined(MACHINE) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  pid_t self = getpid();
  struct sock_filter rules[] = {
    LOAD(arch), SKIP_IF(MACHINE, 1), ALLOW, LOAD(nr),
    /* ptrace(2) */
    SKIP_UNLESS(SYS_ptrace, 1), REFUSE(TROUPE_PROBE_TRACES),
    /* kill(process, signal): 0 and -self are the process's own group. */
    SKIP_UNLESS(SYS_kill, 16), LOAD_ARGUMENT(0), SKIP_IF(self, 6), SKIP_IF(0, 5), SKIP_IF(-self, 4),
    /* The signal 0 asks whether a process is there. */
    LOAD_ARGUMENT(1), SKIP_UNLESS(0, 1), ALLOW, REFUSE(TROUPE_PROBE_SIGNALS_OTHERS), LOAD_ARGUMENT(1), REFUSE_ENDING,
    /* tgkill(process, thread, signal) */
    SKIP_UNLESS(SYS_tgkill, 11), LOAD_ARGUMENT(0), SKIP_IF(self, 1), REFUSE(TROUPE_PROBE_SIGNALS_OTHERS), LOAD_ARGUMENT(2),
    REFUSE_ENDING, ALLOW,
  };
  struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
  /* Without it only the superuser may. */
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#else
  errno = ENOSYS;
  return -1;
#endif
}

#define _GNU_SOURCE
#include "probe.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "seccomp_notify.h"
#include "filter_rules.h"

#if defined(TROUPE_ARCHITECTURE) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/*
 * A seccomp(2) filter. It allows nearly all system calls. For harmful ones, and for calls that a filter cannot judge since it knows
 * neither the parents of processes nor the target of pointers, the kernel asks the watching process (seccomp_notify.c). Kernels without this
 * feature send SIGSYS instead.
 */
struct rules {
  struct troupe_rules program;
  /* Whether the kernel can ask the watching process. */
  int asks;
};

static void load(struct rules *rules, size_t offset) { troupe_rule_load(&rules->program, offset); }

static void load_argument(struct rules *rules, int index) { troupe_rule_load_argument(&rules->program, index); }

static void allow(struct rules *rules) { troupe_rule_return(&rules->program, SECCOMP_RET_ALLOW); }

static void ask(struct rules *rules, uint32_t cause) {
  troupe_rule_return(&rules->program, rules->asks ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_TRAP | cause);
}

/* For calls of healthy plugins, too, which only the watching process can judge. */
static void ask_if_possible(struct rules *rules) {
  if (rules->asks) {
    ask(rules, 0);
  } else {
    allow(rules);
  }
}

static int if_equal(struct rules *rules, long number) { return troupe_rule_if_equal(&rules->program, number); }

static void end_if(struct rules *rules, int place) { troupe_rule_end_if(&rules->program, place); }

static void allow_if(struct rules *rules, long number) { troupe_rule_return_if(&rules->program, number, SECCOMP_RET_ALLOW); }

static void ask_if(struct rules *rules, long number, uint32_t cause) {
  int place = if_equal(rules, number);
  ask(rules, cause);
  end_if(rules, place);
}

static void ask_if_possible_if(struct rules *rules, long number) {
  int place = if_equal(rules, number);
  ask_if_possible(rules);
  end_if(rules, place);
}

/* A signal to the own process: allowed, except for ending signals that other processes send as well. */
static void judge_own_signal(struct rules *rules, int argument) {
  load_argument(rules, argument);
  for (size_t index = 0; index < sizeof troupe_ending_signals / sizeof *troupe_ending_signals; index++) {
    ask_if(rules, troupe_ending_signals[index], TROUPE_PROBE_ENDS_ITSELF);
  }
  allow(rules);
}

/* A call that sends a signal to a process, or to a thread of it, by number. */
static void add_signaling(struct rules *rules, long call, int signal, pid_t self) {
  int place = if_equal(rules, call);
  load_argument(rules, 0);
  int own = if_equal(rules, self);
  judge_own_signal(rules, signal);
  end_if(rules, own);
  if (call == SYS_kill && !rules->asks) {
    /* 0 and -self are the process's own group. */
    for (int index = 0; index < 2; index++) {
      int group = if_equal(rules, index == 0 ? 0 : -self);
      judge_own_signal(rules, signal);
      end_if(rules, group);
    }
  }
  load_argument(rules, signal);
  /* The signal 0 asks whether a process is there. */
  allow_if(rules, 0);
  ask(rules, TROUPE_PROBE_SIGNALS_OTHERS);
  end_if(rules, place);
}

/* A call of which only those are asked about that have some number as an argument. */
static void add_command(struct rules *rules, long call, int argument, const uint32_t *commands, size_t count, uint32_t cause) {
  int place = if_equal(rules, call);
  load_argument(rules, argument);
  for (size_t index = 0; index < count; index++) ask_if(rules, commands[index], cause);
  allow(rules);
  end_if(rules, place);
}
#define ADD_COMMAND(call, argument, cause, ...)                                                   \
  add_command(                                                                                    \
      rules, call, argument, (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / 4, \
      TROUPE_PROBE_##cause)

/* A call for a process by number, which is a harmless one for the process itself. */
static void add_reaching(struct rules *rules, long call, pid_t self) {
  int place = if_equal(rules, call);
  load_argument(rules, 0);
  allow_if(rules, self);
  /* Another process's memory is never number 0's. */
  if (call == SYS_prlimit64) allow_if(rules, 0);
  ask(rules, TROUPE_PROBE_CHANGES_OTHERS);
  end_if(rules, place);
}

/* A call that says how a process or a thread is scheduled; only the watching process knows whose a thread is. */
static void add_scheduling(struct rules *rules, long call, int argument) {
  int place = if_equal(rules, call);
  load_argument(rules, argument);
  allow_if(rules, 0);
  ask_if_possible(rules);
  end_if(rules, place);
}

static void add_all(struct rules *rules, pid_t self) {
  load(rules, offsetof(struct seccomp_data, arch));
  int own = if_equal(rules, TROUPE_ARCHITECTURE);
  load(rules, offsetof(struct seccomp_data, nr));
  troupe_rule(&rules->program, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 1));
  end_if(rules, own);
  ask(rules, TROUPE_PROBE_FOREIGN_CALL);
#if defined(__x86_64__)
  /* The x32 calls. The highest number is no call. */
  allow_if(rules, -1);
  troupe_rule(&rules->program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
  ask(rules, TROUPE_PROBE_FOREIGN_CALL);
#endif
  add_signaling(rules, SYS_kill, 1, self);
#if defined(SYS_tkill)
  add_signaling(rules, SYS_tkill, 1, self);
#endif
  add_signaling(rules, SYS_tgkill, 2, self);
  add_signaling(rules, SYS_rt_sigqueueinfo, 1, self);
  add_signaling(rules, SYS_rt_tgsigqueueinfo, 2, self);
  ask_if(rules, SYS_pidfd_send_signal, TROUPE_PROBE_SIGNALS_OTHERS);
  ADD_COMMAND(SYS_fcntl, 1, SIGNALS_OTHERS, TROUPE_SET_OWNER, TROUPE_SET_OWNER_EX);
  ADD_COMMAND(SYS_ioctl, 1, SIGNALS_OTHERS, TROUPE_SET_OWNER_OF_FILE, TROUPE_SET_OWNER_OF_SOCKET);
  ask_if(rules, SYS_ptrace, TROUPE_PROBE_TRACES);
  add_reaching(rules, SYS_process_vm_readv, self);
  add_reaching(rules, SYS_process_vm_writev, self);
  add_reaching(rules, SYS_prlimit64, self);
#if defined(SYS_pidfd_getfd)
  ask_if(rules, SYS_pidfd_getfd, TROUPE_PROBE_CHANGES_OTHERS);
#endif
  add_scheduling(rules, SYS_sched_setaffinity, 0);
  add_scheduling(rules, SYS_sched_setscheduler, 0);
  add_scheduling(rules, SYS_sched_setparam, 0);
  add_scheduling(rules, SYS_sched_setattr, 0);
  ask_if_possible_if(rules, SYS_setpriority);
  ask_if_possible_if(rules, SYS_ioprio_set);
  ADD_COMMAND(SYS_seccomp, 0, FILTERS, SECCOMP_SET_MODE_STRICT, SECCOMP_SET_MODE_FILTER);
  int place = if_equal(rules, SYS_prctl);
  load_argument(rules, 0);
  ask_if(rules, PR_SET_SECCOMP, TROUPE_PROBE_FILTERS);
  ask_if_possible_if(rules, PR_SET_CHILD_SUBREAPER);
  ask_if_possible_if(rules, PR_SET_PDEATHSIG);
  allow(rules);
  end_if(rules, place);
  ask_if(rules, SYS_mlockall, TROUPE_PROBE_LOCKS_MEMORY);
  /* They are counted, and none is started any more once the plugin's process has ended. */
#if defined(SYS_fork)
  ask_if_possible_if(rules, SYS_fork);
  ask_if_possible_if(rules, SYS_vfork);
#endif
  ask_if_possible_if(rules, SYS_clone);
#if defined(SYS_clone3)
  ask_if_possible_if(rules, SYS_clone3);
#endif
  allow(rules);
}

int troupe_probe_filter_calls(void) {
  /* Without it only the superuser may. */
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  /* SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, which older headers do not know, and older kernels refuse. */
  const unsigned long waits_killable = 1ul << 5;
  for (int attempt = 0; attempt < 3; attempt++) {
    struct rules rules = {.asks = attempt < 2};
    add_all(&rules, getpid());
    struct sock_fprog program = {.len = rules.program.count, .filter = rules.program.all};
    unsigned long flags = !rules.asks ? 0 : SECCOMP_FILTER_FLAG_NEW_LISTENER | (attempt == 0 ? waits_killable : 0);
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    if (result >= 0) return rules.asks ? (int)result : -1;
  }
  return -1;
}

#else

int troupe_probe_filter_calls(void) { return -1; }

#endif

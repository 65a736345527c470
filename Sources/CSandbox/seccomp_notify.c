#define _GNU_SOURCE
#include "seccomp_notify.h"

#include "filter_rules.h"
#include "probe.h"
#include "processes.h"

#if defined(TROUPE_ARCHITECTURE) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Numbers for calls that this architecture, or the headers of the build, do not have. No call has them. */
#if !defined(SYS_tkill)
#define SYS_tkill -2
#endif
#if !defined(SYS_fork)
#define SYS_fork -3
#define SYS_vfork -4
#endif
#if !defined(SYS_clone3)
#define SYS_clone3 -5
#endif
#if !defined(SYS_pidfd_getfd)
#define SYS_pidfd_getfd -6
#endif

/* Commands of fcntl(2) and ioctl(2) that say who gets the signals of a descriptor, by the numbers that they have on every machine here. */
enum { set_owner = 8, set_owner_ex = 15, set_owner_of_file = 0x8901, set_owner_of_socket = 0x8902 };

/* The signals that end a process and that other processes send as well. */
static const uint32_t ending_signals[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGPWR};

/* The filter. */

static void allow(struct troupe_rules *rules) { troupe_rule_return(rules, SECCOMP_RET_ALLOW); }

static void ask(struct troupe_rules *rules) { troupe_rule_return(rules, SECCOMP_RET_USER_NOTIF); }

/* Begins the rules for some calls. Returns the argument of troupe_rule_end_if. */
static int if_any(struct troupe_rules *rules, const int calls[], size_t count) {
  for (size_t index = 0; index < count; index++) {
    int place = troupe_rule_if_equal(rules, calls[index]);
    rules->all[place].jt = (unsigned char)(count - 1 - index);
  }
  return rules->count - 1;
}

/* Asks about some calls whose argument is, or is not, one of some values. */
static void add_calls(
  struct troupe_rules *rules, const int calls[], size_t call_count, int argument, int asks_if_found, const uint32_t values[],
  size_t value_count) {
  int place = if_any(rules, calls, call_count);
  if (value_count) troupe_rule_load_argument(rules, argument);
  uint32_t found = asks_if_found ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW;
  for (size_t index = 0; index < value_count; index++) troupe_rule_return_if(rules, values[index], found);
  if (asks_if_found) allow(rules); else ask(rules);
  troupe_rule_end_if(rules, place);
}
#define CALLS(...) (const int[]){__VA_ARGS__}, COUNT(((const int[]){__VA_ARGS__}))
#define VALUES(...) (const uint32_t[]){__VA_ARGS__}, COUNT(((const uint32_t[]){__VA_ARGS__}))

/*
 * Asks about signals to other processes, and about those to the own process that other processes send as well. Runtimes such as that of Go
 * send their own process many others. The signal 0 asks whether a process exists.
 */
static void add_signals(struct troupe_rules *rules, const int calls[], size_t count, int signal, pid_t self) {
  int place = if_any(rules, calls, count);
  troupe_rule_load_argument(rules, 0);
  int own = troupe_rule_if_equal(rules, self);
  troupe_rule_load_argument(rules, signal);
  for (size_t index = 0; index < COUNT(ending_signals); index++) {
    troupe_rule_return_if(rules, ending_signals[index], SECCOMP_RET_USER_NOTIF);
  }
  allow(rules);
  troupe_rule_end_if(rules, own);
  troupe_rule_load_argument(rules, signal);
  troupe_rule_return_if(rules, 0, SECCOMP_RET_ALLOW);
  ask(rules);
  troupe_rule_end_if(rules, place);
}

static void add_all(struct troupe_rules *rules, pid_t self) {
  troupe_rule_load(rules, offsetof(struct seccomp_data, arch));
  int own = troupe_rule_if_equal(rules, TROUPE_ARCHITECTURE);
  troupe_rule_load(rules, offsetof(struct seccomp_data, nr));
  troupe_rule(rules, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 1));
  troupe_rule_end_if(rules, own);
  ask(rules);
#if defined(__x86_64__)
  /* The x32 calls. The highest number is no call. */
  troupe_rule_return_if(rules, -1, SECCOMP_RET_ALLOW);
  troupe_rule(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
  ask(rules);
#endif
  add_signals(rules, CALLS(SYS_kill, SYS_tkill, SYS_rt_sigqueueinfo), 1, self);
  add_signals(rules, CALLS(SYS_tgkill, SYS_rt_tgsigqueueinfo), 2, self);
  add_calls(rules, CALLS(SYS_fcntl), 1, 1, VALUES(set_owner, set_owner_ex));
  add_calls(rules, CALLS(SYS_ioctl), 1, 1, VALUES(set_owner_of_file, set_owner_of_socket));
  add_calls(rules, CALLS(SYS_seccomp), 0, 1, VALUES(SECCOMP_SET_MODE_STRICT, SECCOMP_SET_MODE_FILTER));
  add_calls(rules, CALLS(SYS_prctl), 0, 1, VALUES(PR_SET_SECCOMP, PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG));
  add_calls(
    rules,
    CALLS(
      SYS_process_vm_readv, SYS_process_vm_writev, SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam,
      SYS_sched_setattr),
    0, 0, VALUES(0, (uint32_t)self));
  add_calls(
    rules,
    CALLS(
      SYS_pidfd_send_signal, SYS_pidfd_getfd, SYS_ptrace, SYS_setpriority, SYS_ioprio_set, SYS_mlockall, SYS_unshare, SYS_fork,
      SYS_vfork, SYS_clone, SYS_clone3),
    0, 0, NULL, 0);
  allow(rules);
}

int troupe_probe_filter_calls(void) {
  /* Without it only the superuser may. */
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  struct troupe_rules rules = {.count = 0};
  add_all(&rules, getpid());
  struct sock_fprog program = {.len = rules.count, .filter = rules.all};
  /* SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, which older headers do not know, and kernels before Linux 5.19 refuse. */
  const unsigned long waits_killable = 1ul << 5, listens = SECCOMP_FILTER_FLAG_NEW_LISTENER;
  int listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, listens | waits_killable, &program);
  return listener >= 0 ? listener : (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, listens, &program);
}

/* The answers. */

/*
 * A pending system call. The plugin cannot change its arguments any more, but another thread may change the target of a pointer or a
 * descriptor before the call. A probe is not a sandbox against that.
 */
struct syscall_request {
  const struct seccomp_data *call;
  pid_t thread;
  /* The process in which the plugin runs. */
  pid_t watched;
};

/* The processes that a call reaches. */
struct target {
  enum { NO_OTHER, PROCESS, GROUP, EVERYONE } kind;
  /* The PID, or TID, of a process; the number of a group. */
  pid_t number;
};

static int argument(const struct syscall_request *request, int index) { return (int)request->call->args[index]; }

/* 0 is the caller itself. */
static struct target process_target(pid_t number) { return (struct target){number > 0 ? PROCESS : NO_OTHER, number}; }

/* 0 is the group of the caller. */
static struct target group_target(const struct syscall_request *request, pid_t number) {
  struct troupe_process self;
  if (number == 0 && troupe_process(request->thread, &self)) number = self.group;
  return (struct target){GROUP, number};
}

/* The target of a negative number, which means a group. The kernel refuses INT_MIN, whose negation does not exist. */
static struct target negated_group(const struct syscall_request *request, pid_t number) {
  return number == INT_MIN ? (struct target){.kind = NO_OTHER} : group_target(request, -number);
}

/* The target of kill(2). */
static struct target kill_target(const struct syscall_request *request) {
  pid_t number = argument(request, 0);
  if (number > 0) return process_target(number);
  return number == -1 ? (struct target){.kind = EVERYONE} : negated_group(request, number);
}

static struct target descriptor_target(const struct syscall_request *request) {
  /*
   * PIDFD_SELF_THREAD, PIDFD_SELF_THREAD_GROUP and PIDFD_SIGNAL_PROCESS_GROUP, which older headers lack. Before Linux 6.17 the second
   * one was -20000.
   */
  enum { own_thread = -10000, own_process = -10001, former_own_process = -20000, signals_group = 1 << 2 };
  int descriptor = argument(request, 0);
  pid_t process;
  if (descriptor == own_thread) {
    process = request->thread;
  } else if (descriptor == own_process || descriptor == former_own_process) {
    process = troupe_process_of_thread(request->thread);
  } else {
    process = troupe_process_of_descriptor(request->thread, descriptor);
  }
  int is_group = request->call->nr == SYS_pidfd_send_signal && argument(request, 3) & signals_group;
  return process > 0 && is_group ? group_target(request, process) : process_target(process);
}

/* Reads memory of the caller. Returns whether that succeeded. */
static int read_memory(const struct syscall_request *request, int index, void *memory, size_t size) {
  struct iovec to = {memory, size}, from = {(void *)(uintptr_t)request->call->args[index], size};
  return process_vm_readv(request->thread, &to, 1, &from, 1, 0) == (ssize_t)size;
}

/* The processes that become the owner of a descriptor and get its signals. The argument is 0 for none, and negative for a group. */
static struct target owner_target(const struct syscall_request *request) {
  int command = argument(request, 1), owner = argument(request, 2);
  if (command == set_owner_ex) {
    struct f_owner_ex extended = {0};
    read_memory(request, 2, &extended, sizeof extended);
    if (extended.type == F_OWNER_PGRP && extended.pid > 0) return (struct target){GROUP, extended.pid};
    owner = extended.pid > 0 ? extended.pid : 0;
  } else if (command != set_owner && !read_memory(request, 2, &owner, sizeof owner)) {
    owner = 0;
  }
  return owner < 0 ? negated_group(request, owner) : process_target(owner);
}

/* The target of setpriority(2) or ioprio_set(2), which name its kind by their own numbers. */
static struct target priority_target(const struct syscall_request *request, int process, int group) {
  int kind = argument(request, 0), number = argument(request, 1);
  if (kind == process) return process_target(number);
  return kind == group ? group_target(request, number) : (struct target){.kind = EVERYONE};
}

static int is_ending(int signal) {
  for (size_t index = 0; index < COUNT(ending_signals); index++) {
    if ((uint32_t)signal == ending_signals[index]) return 1;
  }
  return 0;
}

static int32_t check_process(const struct syscall_request *request, pid_t number, int signal, int32_t cause) {
  struct troupe_process found;
  /* A call does not reach a missing process. */
  if (!troupe_process(number, &found)) return 0;
  if (!troupe_is_descendant(number)) return cause;
  return is_ending(signal) && troupe_process_of_thread(number) == request->watched ? TROUPE_PROBE_ENDS_ITSELF : 0;
}

/*
 * Returns the cause for which a call is refused that reaches a target, or 0 if all of the target are the plugin's processes.
 *
 * signal: the signal that the call sends; 0 for another call.
 */
static int32_t check_target(const struct syscall_request *request, struct target target, int signal, int32_t cause) {
  if (target.kind == NO_OTHER) return 0;
  if (target.kind == EVERYONE) return cause;
  if (target.kind == PROCESS) return check_process(request, target.number, signal, cause);
  size_t count;
  const struct troupe_process *all = troupe_processes(&count);
  int32_t found = 0;
  for (size_t index = 0; index < count && !found; index++) {
    if (all[index].group == target.number) found = check_process(request, all[index].number, signal, cause);
  }
  return found;
}

static int32_t check_signal(const struct syscall_request *request, struct target target, int signal) {
  return signal == 0 ? 0 : check_target(request, target, signal, TROUPE_PROBE_SIGNALS_OTHERS);
}

static int32_t check_change(const struct syscall_request *request, struct target target) {
  return check_target(request, target, 0, TROUPE_PROBE_CHANGES_OTHERS);
}

/* Refuses what only the plugin's process must not do, and its children may. */
static int32_t check_caller(const struct syscall_request *request, int32_t cause) {
  return troupe_process_of_thread(request->thread) == request->watched ? cause : 0;
}

/*
 * PR_SET_PDEATHSIG of prctl(2). The runtime of LLVM's coverage suspends SIGKILL, which a process of a probe gets, while it writes its file:
 * it sets 0, and then SIGKILL again.
 */
static int32_t check_death_signal(const struct syscall_request *request) {
  static int is_suspended;
  int32_t cause = check_caller(request, TROUPE_PROBE_ENDS_WITH_PARENT);
  if (!cause) return 0;
  int signal = argument(request, 1), was_suspended = is_suspended;
  is_suspended = signal == 0;
  return signal == 0 || (was_suspended && signal == SIGKILL) ? 0 : cause;
}

static int32_t check_setting(const struct syscall_request *request) {
  switch (argument(request, 0)) {
  case PR_SET_PDEATHSIG: return check_death_signal(request);
  case PR_SET_CHILD_SUBREAPER: return check_caller(request, TROUPE_PROBE_ADOPTS);
  default: return check_caller(request, TROUPE_PROBE_FILTERS);
  }
}

/*
 * The thread that loads the plugin is the only one of a probe, where a separation changes nothing. In a host the descriptors that the thread
 * opens afterwards would not exist for the other threads. A plugin may separate its own threads.
 */
static int32_t check_separation(const struct syscall_request *request) {
  return request->thread == request->watched && argument(request, 0) & (CLONE_FILES | CLONE_FS) ? TROUPE_PROBE_SEPARATES : 0;
}

/* Returns the cause for which a call is refused, or 0. */
static int32_t check(const struct syscall_request *request) {
  switch (request->call->nr) {
  case SYS_kill: return check_signal(request, kill_target(request), argument(request, 1));
  case SYS_tkill:
  case SYS_rt_sigqueueinfo: return check_signal(request, process_target(argument(request, 0)), argument(request, 1));
  case SYS_tgkill:
  case SYS_rt_tgsigqueueinfo: return check_signal(request, process_target(argument(request, 0)), argument(request, 2));
  case SYS_pidfd_send_signal: return check_signal(request, descriptor_target(request), argument(request, 1));
  /* SIGIO is the signal of a descriptor unless the plugin sets another one. */
  case SYS_fcntl:
  case SYS_ioctl: return check_signal(request, owner_target(request), SIGIO);
  case SYS_process_vm_readv:
  case SYS_process_vm_writev:
  case SYS_sched_setaffinity:
  case SYS_sched_setscheduler:
  case SYS_sched_setparam:
  case SYS_sched_setattr: return check_change(request, process_target(argument(request, 0)));
  /* Without new limits it only reads. */
  case SYS_prlimit64: return request->call->args[2] ? check_change(request, process_target(argument(request, 0))) : 0;
  case SYS_pidfd_getfd: return check_change(request, descriptor_target(request));
  case SYS_setpriority: return check_change(request, priority_target(request, PRIO_PROCESS, PRIO_PGRP));
  /* IOPRIO_WHO_PROCESS and IOPRIO_WHO_PGRP, which are in no header. */
  case SYS_ioprio_set: return check_change(request, priority_target(request, 1, 2));
  case SYS_ptrace: return TROUPE_PROBE_TRACES;
  case SYS_seccomp: return check_caller(request, TROUPE_PROBE_FILTERS);
  case SYS_prctl: return check_setting(request);
  case SYS_mlockall: return check_caller(request, TROUPE_PROBE_LOCKS_MEMORY);
  case SYS_unshare: return check_separation(request);
  default: return 0;
  }
}

/* Returns false for a call of another architecture, whose numbers mean other calls. */
static int is_of_this_machine(const struct seccomp_data *call) {
#if defined(__x86_64__)
  if (call->nr >= 0x40000000) return 0;
#endif
  return call->arch == TROUPE_ARCHITECTURE;
}

static int starts_process(int call) { return call == SYS_fork || call == SYS_vfork || call == SYS_clone || call == SYS_clone3; }

/* Returns whether the plugin has reached the largest number of threads. Counts them at every 128th call. */
static int is_full(void) {
  enum { most = 1024, pause = 128 };
  static unsigned calls;
  static int is_over;
  if (++calls % pause) return is_over;
  size_t count;
  const struct troupe_process *all = troupe_processes(&count);
  int threads = 0;
  for (size_t index = 0; index < count; index++) threads += all[index].is_descendant ? all[index].threads : 0;
  is_over = threads > most;
  return is_over;
}

/* Sends SIGSYS to a thread, whose handler reports the location. */
static void send_refusal(pid_t thread, int32_t cause) {
  siginfo_t information;
  memset(&information, 0, sizeof information);
  information.si_signo = SIGSYS;
  information.si_code = SI_QUEUE;
  information.si_pid = getpid();
  information.si_uid = getuid();
  information.si_value.sival_int = cause;
  syscall(SYS_rt_tgsigqueueinfo, troupe_process_of_thread(thread), thread, SIGSYS, &information);
}

int32_t troupe_probe_answer(int listener, pid_t watched) {
  /* Newer kernels may use larger structs. */
  union {
    struct seccomp_notif question;
    char bytes[512];
  } in;
  union {
    struct seccomp_notif_resp answer;
    char bytes[512];
  } out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  /* The process may have ended meanwhile. */
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &in) != 0) return errno == EINTR || errno == ENOENT ? 0 : -1;
  const struct seccomp_data *call = &in.question.data;
  out.answer.id = in.question.id;
  struct syscall_request request = {.call = call, .thread = (pid_t)in.question.pid, .watched = watched};
  int32_t cause = 0;
  if (is_of_this_machine(call) && starts_process(call->nr)) {
    /* As for a user without a process left. */
    if (is_full()) out.answer.error = -EAGAIN;
  } else {
    cause = is_of_this_machine(call) ? check(&request) : TROUPE_PROBE_FOREIGN_CALL;
    /* The process may have ended and its number belong to another one. */
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &in.question.id) != 0) return 0;
    if (cause) {
      out.answer.error = -EPERM;
      send_refusal(request.thread, cause);
    }
  }
  if (!out.answer.error) out.answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  /* Linux before 5.5 cannot let a call run, and would leave the plugin waiting. */
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &out) != 0 && errno == EINVAL) return -1;
  return cause;
}

#else

int troupe_probe_filter_calls(void) { return -1; }

int32_t troupe_probe_answer(int listener, pid_t watched) {
  (void)listener;
  (void)watched;
  return -1;
}

#endif

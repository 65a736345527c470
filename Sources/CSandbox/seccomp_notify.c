#define _GNU_SOURCE
#include "seccomp_notify.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "filter_rules.h"
#include "probe.h"
#include "processes.h"

/* Flags of newer kernels: the target is a process group; descriptors that mean the caller. */
enum { signals_group = 1 << 2, own_thread = -10000, own_process = -20000 };

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

static int argument(const struct syscall_request *request, int index) { return (int)request->call->args[index]; }

static int32_t judge_signal(const struct syscall_request *request, pid_t process, int signal) {
  if (signal == 0) return 0;
  struct troupe_process found;
  /* A missing process receives no signal. */
  if (!troupe_process(process, &found)) return 0;
  if (!is_descendant(process)) return TROUPE_PROBE_SIGNALS_OTHERS;
  if (process != request->watched && troupe_process_of_thread(process) != request->watched) return 0;
  for (size_t index = 0; index < sizeof troupe_ending_signals / sizeof *troupe_ending_signals; index++) {
    if (signal == troupe_ending_signals[index]) return TROUPE_PROBE_ENDS_ITSELF;
  }
  return 0;
}

static int32_t judge_group_signal(const struct syscall_request *request, pid_t group, int signal) {
  size_t count;
  const struct troupe_process *all = troupe_processes(&count);
  for (size_t index = 0; index < count; index++) {
    int32_t cause = all[index].group == group ? judge_signal(request, all[index].number, signal) : 0;
    if (cause) return cause;
  }
  return 0;
}

/* The target of kill(2): a process, a group as a negative number, the group of the caller as 0. */
static int32_t judge_kill(const struct syscall_request *request, pid_t target, int signal) {
  if (signal == 0) return 0;
  if (target > 0) return judge_signal(request, target, signal);
  if (target == -1) return TROUPE_PROBE_SIGNALS_OTHERS;
  struct troupe_process self;
  if (target < 0) return judge_group_signal(request, -target, signal);
  return troupe_process(request->thread, &self) ? judge_group_signal(request, self.group, signal) : 0;
}

static int32_t judge_descriptor_signal(const struct syscall_request *request) {
  int descriptor = argument(request, 0), signal = argument(request, 1);
  pid_t process = descriptor == own_thread || descriptor == own_process
                      ? request->thread
                      : troupe_process_of_descriptor(request->thread, descriptor);
  /* The kernel refuses other descriptors. */
  if (process <= 0) return 0;
  if (argument(request, 3) & signals_group) return judge_group_signal(request, process, signal);
  return judge_signal(request, process, signal);
}

/* Reads memory of the caller. Returns whether that succeeded. */
static int read_memory(const struct syscall_request *request, int index, void *memory, size_t size) {
  struct iovec to = {memory, size}, from = {(void *)(uintptr_t)request->call->args[index], size};
  return process_vm_readv(request->thread, &to, 1, &from, 1, 0) == (ssize_t)size;
}

/* Judges the owner of a descriptor, who receives its signals: the plugin's processes, or 0 for none. */
static int32_t judge_owner(int owner, int is_group) {
  if (owner == 0) return 0;
  /* A signal that does not end the target. */
  struct syscall_request nobody = {0};
  return is_group ? judge_group_signal(&nobody, owner, SIGIO) : judge_signal(&nobody, owner, SIGIO);
}

static int32_t judge_owner_command(const struct syscall_request *request) {
  int command = argument(request, 1), owner;
  struct f_owner_ex extended;
  if (command == TROUPE_SET_OWNER_EX) {
    if (!read_memory(request, 2, &extended, sizeof extended)) return 0;
    return judge_owner(extended.pid, extended.type == F_OWNER_PGRP);
  }
  if (command == TROUPE_SET_OWNER) {
    owner = argument(request, 2);
  } else if (!read_memory(request, 2, &owner, sizeof owner)) {
    return 0;
  }
  return owner < 0 ? judge_owner(-owner, 1) : judge_owner(owner, 0);
}

/* A call that changes, or reads, another process. */
static int32_t check_target(pid_t process) {
  struct troupe_process found;
  return process <= 0 || !troupe_process(process, &found) || is_descendant(process) ? 0 : TROUPE_PROBE_CHANGES_OTHERS;
}

/* The arguments of setpriority(2) and ioprio_set(2): the kind of target and its number. */
static int32_t judge_priority(const struct syscall_request *request, int process, int group) {
  int which = argument(request, 0), who = argument(request, 1);
  if (which == process) return check_target(who);
  if (which != group) return TROUPE_PROBE_CHANGES_OTHERS;
  struct troupe_process self;
  if (who == 0 && troupe_process(request->thread, &self)) who = self.group;
  return judge_group_signal(request, who, SIGIO) ? TROUPE_PROBE_CHANGES_OTHERS : 0;
}

/* What only the process must not do that the plugin is loaded into. */
static int32_t judge_own(const struct syscall_request *request, int32_t cause) {
  return troupe_process_of_thread(request->thread) == request->watched ? cause : 0;
}

/* The cause for which a command of prctl(2) is refused. */
static int32_t cause_of_setting(int command) {
  switch (command) {
  case PR_SET_CHILD_SUBREAPER: return TROUPE_PROBE_ADOPTS;
  default: return TROUPE_PROBE_FILTERS;
  }
}

/*
 * PR_SET_PDEATHSIG of prctl(2). The runtime of LLVM's coverage suspends SIGKILL, which a process of a probe gets, while it writes its file: it
 * sets 0, and then SIGKILL again.
 */
static int32_t judge_death_signal(const struct syscall_request *request) {
  static int is_suspended;
  int32_t cause = judge_own(request, TROUPE_PROBE_ENDS_WITH_PARENT);
  if (!cause) return 0;
  int signal = argument(request, 1), was_suspended = is_suspended;
  is_suspended = signal == 0;
  return signal == 0 || (was_suspended && signal == SIGKILL) ? 0 : cause;
}

static int32_t judge_setting(const struct syscall_request *request) {
  int command = argument(request, 0);
  return command == PR_SET_PDEATHSIG ? judge_death_signal(request) : judge_own(request, cause_of_setting(command));
}

static int32_t judge(const struct syscall_request *request) {
  switch (request->call->nr) {
  case SYS_kill: return judge_kill(request, argument(request, 0), argument(request, 1));
#if defined(SYS_tkill)
  case SYS_tkill:
#endif
  case SYS_rt_sigqueueinfo: return judge_signal(request, argument(request, 0), argument(request, 1));
  case SYS_tgkill:
  case SYS_rt_tgsigqueueinfo: return judge_signal(request, argument(request, 0), argument(request, 2));
  case SYS_pidfd_send_signal: return judge_descriptor_signal(request);
  case SYS_fcntl:
  case SYS_ioctl: return judge_owner_command(request);
  case SYS_ptrace: return TROUPE_PROBE_TRACES;
  case SYS_process_vm_readv:
  case SYS_process_vm_writev: return check_target(argument(request, 0));
  case SYS_prlimit64: return request->call->args[2] ? check_target(argument(request, 0)) : 0;
#if defined(SYS_pidfd_getfd)
  case SYS_pidfd_getfd: return check_target(troupe_process_of_descriptor(request->thread, argument(request, 0)));
#endif
  case SYS_sched_setaffinity:
  case SYS_sched_setscheduler:
  case SYS_sched_setparam:
  case SYS_sched_setattr: return check_target(argument(request, 0));
  case SYS_setpriority: return judge_priority(request, PRIO_PROCESS, PRIO_PGRP);
  /* IOPRIO_WHO_PROCESS and IOPRIO_WHO_PGRP, which are in no header. */
  case SYS_ioprio_set: return judge_priority(request, 1, 2);
  case SYS_seccomp: return judge_own(request, TROUPE_PROBE_FILTERS);
  case SYS_prctl: return judge_setting(request);
  case SYS_mlockall: return judge_own(request, TROUPE_PROBE_LOCKS_MEMORY);
  default: return 0;
  }
}

/* Whether a call is one that this program could make; another one has the same numbers for other things. */
static int is_of_this_machine(const struct seccomp_data *call) {
#if defined(__x86_64__)
  if (call->nr >= 0x40000000) return 0;
#endif
#if defined(TROUPE_ARCHITECTURE)
  return call->arch == TROUPE_ARCHITECTURE;
#else
  return 1;
#endif
}

static int is_start(int call) {
#if defined(SYS_fork)
  if (call == SYS_fork || call == SYS_vfork) return 1;
#endif
#if defined(SYS_clone3)
  if (call == SYS_clone3) return 1;
#endif
  return call == SYS_clone;
}

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
  if (is_of_this_machine(call) && is_start(call->nr)) {
    /* As for a user without a process left. */
    if (is_full()) out.answer.error = -EAGAIN;
  } else {
    cause = is_of_this_machine(call) ? judge(&request) : TROUPE_PROBE_FOREIGN_CALL;
    /* The process may have ended and its number belong to another one. */
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &in.question.id) != 0) return 0;
    if (cause) {
      out.answer.error = -EPERM;
      send_refusal(request.thread, cause);
    }
  }
  if (!out.answer.error) out.answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &out);
  return cause;
}

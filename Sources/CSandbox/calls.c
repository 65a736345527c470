#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filter_rules.h"
#include "layers.h"
#include "system_calls.h"

#if defined(TROUPE_ARCHITECTURE) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

static uint32_t failing(int error) { return SECCOMP_RET_ERRNO | (uint32_t)error; }

/* Allows a call if the lower half of an argument has one of the values, and lets it fail with an error otherwise. */
static void add_argument(
  struct troupe_rules *rules, long call, int argument, const uint32_t *values, size_t count, int error) {
  int place = troupe_rule_if_equal(rules, call);
  troupe_rule_load_argument(rules, argument);
  for (size_t index = 0; index < count; index++) troupe_rule_return_if(rules, values[index], SECCOMP_RET_ALLOW);
  troupe_rule_return(rules, failing(error));
  troupe_rule_end_if(rules, place);
}
#define ADD_ARGUMENT(call, argument, error, ...)                                                                            \
  add_argument(                                                                                                             \
    rules, call, argument, (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t), error)

/* Allows a process to read its limits, and not to set them: root could raise them. */
static void add_limits(struct troupe_rules *rules, uint32_t self) {
  int place = troupe_rule_if_equal(rules, SYS_prlimit64);
  /* A non-null address of new limits sets them. A filter loads 32 bits at a time, so it compares two halves. */
  for (size_t half = 0; half < 2; half++) {
    troupe_rule_load(rules, offsetof(struct seccomp_data, args[2]) + 4 * half);
    troupe_rule(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
    troupe_rule_return(rules, failing(EPERM));
  }
  troupe_rule_load_argument(rules, 0);
  troupe_rule_return_if(rules, 0, SECCOMP_RET_ALLOW);
  troupe_rule_return_if(rules, self, SECCOMP_RET_ALLOW);
  troupe_rule_return(rules, failing(EPERM));
  troupe_rule_end_if(rules, place);
}

/* Allows new threads, and refuses new processes. */
static void add_threads(struct troupe_rules *rules) {
  const uint32_t thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
  const uint32_t spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
  int place = troupe_rule_if_equal(rules, SYS_clone);
  troupe_rule_load_argument(rules, 0);
  troupe_rule(rules, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, thread | spaces | CLONE_PARENT));
  troupe_rule_return_if(rules, thread, SECCOMP_RET_ALLOW);
  troupe_rule_return(rules, failing(EPERM));
  troupe_rule_end_if(rules, place);
}

static int is_admitted(const struct troupe_policy *policy, int32_t number) {
  for (size_t index = 0; index < policy->call_count; index++) {
    if (policy->calls[index] == number) return 1;
  }
  return 0;
}

/*
 * Allows the calls of the table and those that the policy admits. Comes first, so that an admitted call overrides its rule for
 * arguments or its refusal.
 */
static void add_allowed(struct troupe_rules *rules, const struct troupe_policy *policy) {
  struct troupe_system_call call;
  for (size_t index = 0; (call = troupe_system_call_at(index)).name; index++) {
    if (call.number < 0) continue;
    if (call.verdict == TROUPE_CALL_ALLOWED || is_admitted(policy, call.number)) {
      troupe_rule_return_if(rules, call.number, SECCOMP_RET_ALLOW);
    }
  }
}

/*
 * Refuses the other calls. A number above those of the table is a newer call than this filter knows, or one of x32. It fails
 * with ENOSYS, after which libraries use an older call.
 */
static void add_refused(struct troupe_rules *rules) {
  int32_t newest = 0;
  struct troupe_system_call call;
  for (size_t index = 0; (call = troupe_system_call_at(index)).name; index++) {
    if (call.number < 0) continue;
    if (call.number > newest) newest = call.number;
    if (call.verdict == TROUPE_CALL_UNSUPPORTED) troupe_rule_return_if(rules, call.number, failing(ENOTSUP));
    if (call.verdict == TROUPE_CALL_ABSENT) troupe_rule_return_if(rules, call.number, failing(ENOSYS));
    if (call.verdict == TROUPE_CALL_ATTACK) troupe_rule_return_if(rules, call.number, SECCOMP_RET_TRAP);
  }
  troupe_rule(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)newest, 0, 1));
  troupe_rule_return(rules, failing(ENOSYS));
  troupe_rule_return(rules, failing(EPERM));
}

static void add_rules(struct troupe_rules *rules, const struct troupe_policy *policy, uint32_t self) {
  troupe_rule_load(rules, offsetof(struct seccomp_data, arch));
  int own = troupe_rule_if_equal(rules, TROUPE_ARCHITECTURE);
  troupe_rule_load(rules, offsetof(struct seccomp_data, nr));
  troupe_rule(rules, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 1));
  troupe_rule_end_if(rules, own);
  /* The only use of a call of another architecture, such as a 32-bit one on x86-64, is to evade a filter. */
  troupe_rule_return(rules, SECCOMP_RET_TRAP);
  add_allowed(rules, policy);
  add_threads(rules);
  ADD_ARGUMENT(SYS_kill, 0, EPERM, self);
  ADD_ARGUMENT(SYS_tgkill, 0, EPERM, self);
  ADD_ARGUMENT(SYS_rt_sigqueueinfo, 0, EPERM, self);
  ADD_ARGUMENT(SYS_rt_tgsigqueueinfo, 0, EPERM, self);
  /* Libraries read their own memory this way if it may not be mapped. */
  ADD_ARGUMENT(SYS_process_vm_readv, 0, EPERM, self);
  add_limits(rules, self);
  ADD_ARGUMENT(SYS_sched_setaffinity, 0, EPERM, 0);
  /* 0xFFFFFFFF reads the personality. */
  ADD_ARGUMENT(SYS_personality, 0, EPERM, 0xFFFFFFFF);
  ADD_ARGUMENT(
    SYS_fcntl, 1, EPERM, F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK,
    F_OFD_SETLK, F_OFD_SETLKW, F_GETPIPE_SZ, F_GET_SEALS);
  /* isatty(3), the number of readable bytes, and the flags that fcntl(2) can set as well. */
  ADD_ARGUMENT(SYS_ioctl, 1, ENOTTY, FIONREAD, TCGETS, FIOCLEX, FIONCLEX, FIONBIO);
  ADD_ARGUMENT(SYS_prctl, 0, EPERM, PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_SET_VMA, PR_GET_NO_NEW_PRIVS);
  add_refused(rules);
}

int troupe_layer_calls(const struct troupe_policy *policy) {
  struct troupe_rules rules = {.count = 0};
  add_rules(&rules, policy, (uint32_t)getpid());
  struct sock_fprog program = {.len = rules.count, .filter = rules.all};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#else

int troupe_layer_calls(const struct troupe_policy *policy) {
  (void)policy;
  return 0;
}

#endif

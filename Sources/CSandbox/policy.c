#define _GNU_SOURCE
#include "policy.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filter_rules.h"
#include "system_calls.h"

/* Limits, network and capabilities. */

static int limit(__rlimit_resource_t resource, uint64_t value) {
  struct rlimit limits;
  if (getrlimit(resource, &limits) != 0) return 0;
  /* SIGXCPU first, which tells the host the reason. SIGKILL follows for a process that ignores it. */
  uint64_t hard = resource == RLIMIT_CPU ? value + 1 : value;
  if (limits.rlim_max > hard) limits.rlim_max = hard;
  limits.rlim_cur = limits.rlim_max < value ? limits.rlim_max : value;
  return setrlimit(resource, &limits) == 0;
}

static int apply_limits(const struct troupe_policy *policy) {
  int all = limit(RLIMIT_CORE, 0);
  if (policy->memory) all &= limit(RLIMIT_AS, policy->memory);
  if (policy->processor_time) all &= limit(RLIMIT_CPU, policy->processor_time);
  if (policy->descriptors) all &= limit(RLIMIT_NOFILE, policy->descriptors);
  if (policy->file_size) all &= limit(RLIMIT_FSIZE, policy->file_size);
  return all;
}

static int write_text(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return 0;
  size_t size = strlen(text);
  int is_written = write(file, text, size) == (ssize_t)size;
  close(file);
  return is_written;
}

/* Moves the process into a network of its own, which an ordinary user may do within a user namespace. The user keeps its number. */
static int separate_network(uint64_t threads) {
  unsigned user = geteuid(), group = getegid();
  if (unshare(CLONE_NEWNET) == 0) return 1;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return 0;
  char text[64];
  snprintf(text, sizeof text, "%u %u 1", user, user);
  write_text("/proc/self/uid_map", text);
  write_text("/proc/self/setgroups", "deny");
  snprintf(text, sizeof text, "%u %u 1", group, group);
  write_text("/proc/self/gid_map", text);
  /* The kernel counts the threads of the user in this namespace only. */
  if (threads) limit(RLIMIT_NPROC, threads);
  return 1;
}

/*
 * Gives up the capabilities of root (capabilities(7)), with which it could make a program that runs as root. Keeps those by which root uses
 * files of other users, since the granted paths may be such files.
 */
static int drop_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &header, sets) != 0) return 0;
  const uint32_t kept = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;
  struct __user_cap_data_struct fewer[_LINUX_CAPABILITY_U32S_3] = {
    {.effective = sets[0].effective & kept, .permitted = sets[0].permitted & kept}};
  return syscall(SYS_capset, &header, fewer) == 0;
}

/* Files. */

/* The interface of landlock(7), which the headers of Debian 12 describe in part. */
enum {
  create_ruleset = 444, add_rule = 445, restrict_self = 446,
  ask_version = 1, rule_path = 1,

  /* Rights to files. */
  can_execute = 1 << 0, can_write = 1 << 1, can_read = 1 << 2, can_list = 1 << 3, can_remove_directory = 1 << 4,
  can_remove_file = 1 << 5, can_make_directory = 1 << 7, can_make_file = 1 << 8, can_make_link = 1 << 12,
  can_move = 1 << 13,     /* since version 2 */
  can_truncate = 1 << 14, /* since version 3 */

  /* Rights to the network and to other processes. */
  all_tcp = 3,   /* since version 4: bind and connect */
  all_scopes = 3 /* since version 6: abstract sockets and signals */
};

struct ruleset {
  uint64_t files, network, scopes;
};

struct path_rule {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));

/* The rights that a version knows. */
static uint64_t known_rights(long version) {
  if (version >= 5) return (1 << 16) - 1;
  return version >= 3 ? (1 << 15) - 1 : version == 2 ? (1 << 14) - 1 : (1 << 13) - 1;
}

static int grant(int ruleset, int32_t descriptor, uint64_t rights, uint64_t known) {
  struct path_rule rule = {.allowed = rights & known, .parent = descriptor};
  struct stat status;
  int is_directory = fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
  if (!is_directory) rule.allowed &= can_write | can_read | can_truncate;
  return syscall(add_rule, ruleset, rule_path, &rule, 0) == 0;
}

static int restrict_files(const struct troupe_policy *policy) {
  long version = syscall(create_ruleset, NULL, 0, ask_version);
  if (version < 1) return 0;
  struct ruleset rights = {.files = known_rights(version)};
  /* An older kernel refuses a larger struct with members that are not zero. */
  if (version >= 4) rights.network = all_tcp;
  if (version >= 6) rights.scopes = all_scopes;
  size_t size = version >= 6 ? sizeof rights : version >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
  int ruleset = (int)syscall(create_ruleset, &rights, size, 0);
  if (ruleset < 0) return 0;
  const uint64_t reading = can_read | can_list;
  const uint64_t writing = reading | can_write | can_remove_directory | can_remove_file | can_make_directory | can_make_file |
                           can_make_link | can_move | can_truncate;
  int is_complete = 1;
  for (size_t index = 0; index < policy->readable_count; index++) {
    is_complete &= grant(ruleset, policy->readable[index], reading, rights.files);
  }
  for (size_t index = 0; index < policy->writable_count; index++) {
    is_complete &= grant(ruleset, policy->writable[index], writing, rights.files);
  }
  is_complete = syscall(restrict_self, ruleset, 0) == 0 && is_complete;
  close(ruleset);
  return is_complete;
}

/* System calls. */

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
 * Allows the calls of the table and those that the policy admits. These rules come before the others: an admitted call overrides its rule
 * for arguments or its refusal.
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

static int restrict_calls(const struct troupe_policy *policy) {
  struct troupe_rules rules = {.count = 0};
  add_rules(&rules, policy, (uint32_t)getpid());
  struct sock_fprog program = {.len = rules.count, .filter = rules.all};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#else

static int restrict_calls(const struct troupe_policy *policy) {
  (void)policy;
  return 0;
}

#endif

/* The policy. */

uint32_t troupe_policy_apply(const struct troupe_policy *policy) {
  uint32_t used = 0;
  if (policy->layers & TROUPE_LAYER_NETWORK && separate_network(policy->threads)) used |= TROUPE_LAYER_NETWORK;
  /* An ordinary user may use the other layers only with it. */
  if (policy->layers & TROUPE_LAYER_PRIVILEGES && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) used |= TROUPE_LAYER_PRIVILEGES;
  if (policy->layers & TROUPE_LAYER_FILES && restrict_files(policy)) used |= TROUPE_LAYER_FILES;
  /* The granted descriptors may be more than the limit of open files. */
  if (policy->layers & TROUPE_LAYER_LIMITS && apply_limits(policy)) used |= TROUPE_LAYER_LIMITS;
  /* The layers before may need them. */
  if (used & TROUPE_LAYER_PRIVILEGES && !drop_capabilities()) used &= ~(uint32_t)TROUPE_LAYER_PRIVILEGES;
  if (policy->layers & TROUPE_LAYER_CALLS && restrict_calls(policy)) used |= TROUPE_LAYER_CALLS;
  return used;
}

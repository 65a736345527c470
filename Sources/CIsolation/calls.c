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

#if defined(TROUPE_ARCHITECTURE) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/* Calls that concern the process's own memory, threads, time and descriptors, or files, which another layer protects. */
static const int allowed[] = {
  /* The most frequent calls come first. */
  SYS_futex, SYS_read, SYS_write, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_brk, SYS_clock_gettime, SYS_close,
  SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv, SYS_pwritev, SYS_preadv2, SYS_pwritev2, SYS_lseek,
  SYS_openat, SYS_openat2, SYS_close_range, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_faccessat,
  SYS_faccessat2, SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_chdir, SYS_fchdir, SYS_umask, SYS_flock, SYS_fsync,
  SYS_fdatasync, SYS_ftruncate, SYS_fallocate, SYS_fadvise64, SYS_unlinkat, SYS_mkdirat, SYS_renameat2,
  SYS_linkat, SYS_symlinkat, SYS_sendfile, SYS_copy_file_range, SYS_dup, SYS_dup3,
  SYS_pipe2, SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2, SYS_timerfd_create,
  SYS_timerfd_settime, SYS_timerfd_gettime, SYS_mremap, SYS_mincore, SYS_msync, SYS_mlock, SYS_munlock, SYS_membarrier, SYS_rseq,
  SYS_set_robust_list, SYS_get_robust_list, SYS_set_tid_address, SYS_gettid, SYS_getpid, SYS_getppid, SYS_getuid, SYS_geteuid,
  SYS_getgid, SYS_getegid, SYS_getgroups, SYS_getresuid, SYS_getresgid, SYS_getpgid, SYS_getsid, SYS_getrusage, SYS_times,
  SYS_sysinfo, SYS_uname, SYS_gettimeofday, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_getrandom, SYS_sched_yield,
  SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler, SYS_sched_get_priority_max, SYS_sched_get_priority_min,
  SYS_getpriority, SYS_getcpu, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_rt_sigtimedwait,
  SYS_rt_sigsuspend, SYS_sigaltstack, SYS_setitimer, SYS_getitimer, SYS_timer_create, SYS_timer_settime, SYS_timer_gettime,
  SYS_timer_getoverrun, SYS_timer_delete, SYS_restart_syscall, SYS_wait4, SYS_waitid, SYS_exit, SYS_exit_group,
#if defined(SYS_renameat)
  SYS_renameat,
#endif
#if defined(__x86_64__)
  SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_unlink, SYS_mkdir, SYS_rmdir, SYS_rename, SYS_link, SYS_symlink,
  SYS_dup2, SYS_pipe, SYS_poll, SYS_select, SYS_epoll_create, SYS_epoll_wait, SYS_eventfd, SYS_time, SYS_alarm,
  SYS_pause, SYS_getpgrp, SYS_arch_prctl, SYS_getrlimit, SYS_creat,
#endif
};

/*
 * Calls that fail, since healthy programs make them. landlock(7) does not cover the mode, the owner and the times of a file. The limit of
 * memory does not cover memory files.
 */
static const int failing_calls[] = {
  SYS_memfd_create, SYS_setpriority, SYS_fchmod, SYS_fchmodat, SYS_fchownat, SYS_utimensat, SYS_truncate,
#if defined(__x86_64__)
  SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
};

static const uint32_t refused = SECCOMP_RET_TRAP;

static uint32_t failing(int error) { return SECCOMP_RET_ERRNO | (uint32_t)error; }

/* A call that is allowed if an argument has one of some values; otherwise the verdict. */
static void add_argument(
  struct troupe_rules *rules, long call, int argument, const uint32_t *values, size_t count, uint32_t verdict) {
  int place = troupe_rule_if_equal(rules, call);
  troupe_rule_load_argument(rules, argument);
  for (size_t index = 0; index < count; index++) troupe_rule_return_if(rules, values[index], SECCOMP_RET_ALLOW);
  troupe_rule_return(rules, verdict);
  troupe_rule_end_if(rules, place);
}
#define ADD_ARGUMENT(call, argument, verdict, ...)                                              \
  add_argument(                                                                                 \
    rules, call, argument, (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / 4, \
    verdict)

/* Allows a process to read its limits. Root could raise them. */
static void add_limits(struct troupe_rules *rules, uint32_t self) {
  int place = troupe_rule_if_equal(rules, SYS_prlimit64);
  /* The address of the new limits, in two halves. */
  for (size_t half = 0; half < 2; half++) {
    troupe_rule_load(rules, offsetof(struct seccomp_data, args[2]) + 4 * half);
    troupe_rule(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
    troupe_rule_return(rules, failing(EPERM));
  }
  troupe_rule_load_argument(rules, 0);
  troupe_rule_return_if(rules, 0, SECCOMP_RET_ALLOW);
  troupe_rule_return_if(rules, self, SECCOMP_RET_ALLOW);
  troupe_rule_return(rules, refused);
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
  troupe_rule_return(rules, refused);
  troupe_rule_end_if(rules, place);
  /* Its flags are in memory. The C library uses clone instead. */
  troupe_rule_return_if(rules, SYS_clone3, failing(ENOSYS));
}

static void add_rules(struct troupe_rules *rules, uint32_t self) {
  troupe_rule_load(rules, offsetof(struct seccomp_data, arch));
  int own = troupe_rule_if_equal(rules, TROUPE_ARCHITECTURE);
  troupe_rule_load(rules, offsetof(struct seccomp_data, nr));
  troupe_rule(rules, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 1));
  troupe_rule_end_if(rules, own);
  troupe_rule_return(rules, refused);
  for (size_t index = 0; index < sizeof allowed / sizeof *allowed; index++) {
    troupe_rule_return_if(rules, allowed[index], SECCOMP_RET_ALLOW);
  }
  add_threads(rules);
  ADD_ARGUMENT(SYS_kill, 0, refused, self);
  ADD_ARGUMENT(SYS_tgkill, 0, refused, self);
  ADD_ARGUMENT(SYS_rt_tgsigqueueinfo, 0, refused, self);
  add_limits(rules, self);
  ADD_ARGUMENT(SYS_sched_setaffinity, 0, failing(EPERM), 0);
  ADD_ARGUMENT(
    SYS_fcntl, 1, failing(EPERM), F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW,
    F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_GETPIPE_SZ, F_GET_SEALS);
  /* Whether a descriptor is a terminal, and how much can be read. */
  ADD_ARGUMENT(SYS_ioctl, 1, failing(ENOTTY), FIONREAD, TCGETS, FIOCLEX, FIONCLEX, FIONBIO);
  ADD_ARGUMENT(SYS_prctl, 0, failing(EPERM), PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_SET_VMA, PR_GET_NO_NEW_PRIVS);
  for (size_t index = 0; index < sizeof failing_calls / sizeof *failing_calls; index++) {
    troupe_rule_return_if(rules, failing_calls[index], failing(EPERM));
  }
  /* Newer calls than this filter knows, and x32's. */
  troupe_rule(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, SYS_futex_waitv, 0, 1));
  troupe_rule_return(rules, failing(ENOSYS));
  troupe_rule_return(rules, refused);
}

int troupe_layer_calls(void) {
  struct troupe_rules rules = {.count = 0};
  add_rules(&rules, (uint32_t)getpid());
  struct sock_fprog program = {.len = rules.count, .filter = rules.all};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#else

int troupe_layer_calls(void) { return 0; }

#endif

#define _GNU_SOURCE
#include "system_calls.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/*
 * Calls that concern the process's own memory, threads, time and descriptors, or files, which landlock(7) protects. The filter
 * compares a call with them in this order, so the most frequent ones come first.
 */
#define ALLOWED_CALLS(CALL)                                                                                                      \
  CALL(futex) CALL(read) CALL(write) CALL(mmap) CALL(munmap) CALL(mprotect) CALL(madvise) CALL(brk) CALL(clock_gettime)          \
  CALL(close) CALL(readv) CALL(writev) CALL(pread64) CALL(pwrite64) CALL(lseek) CALL(openat) CALL(fstat) CALL(newfstatat)        \
  CALL(statx)                                                                                                                    \
  /* Files. */                                                                                                                   \
  CALL(open) CALL(creat) CALL(openat2) CALL(close_range) CALL(stat) CALL(lstat) CALL(statfs) CALL(fstatfs) CALL(access)          \
  CALL(faccessat) CALL(faccessat2) CALL(readlink) CALL(readlinkat) CALL(getdents) CALL(getdents64) CALL(getcwd) CALL(chdir)      \
  CALL(fchdir) CALL(umask) CALL(flock) CALL(fsync) CALL(fdatasync) CALL(ftruncate) CALL(fallocate) CALL(fadvise64)               \
  CALL(readahead) CALL(sync_file_range) CALL(sync_file_range2) CALL(cachestat) CALL(unlink) CALL(unlinkat) CALL(mkdir)           \
  CALL(mkdirat) CALL(rmdir) CALL(rename) CALL(renameat) CALL(renameat2) CALL(link) CALL(linkat) CALL(symlink) CALL(symlinkat)    \
  CALL(preadv) CALL(pwritev) CALL(preadv2) CALL(pwritev2) CALL(sendfile) CALL(copy_file_range) CALL(splice) CALL(tee)            \
  CALL(fgetxattr) CALL(flistxattr)                                                                                               \
  /* Descriptors. */                                                                                                             \
  CALL(dup) CALL(dup2) CALL(dup3) CALL(pipe) CALL(pipe2) CALL(poll) CALL(ppoll) CALL(select) CALL(pselect6) CALL(epoll_create)   \
  CALL(epoll_create1) CALL(epoll_ctl) CALL(epoll_wait) CALL(epoll_pwait) CALL(epoll_pwait2) CALL(eventfd) CALL(eventfd2)         \
  CALL(signalfd) CALL(signalfd4) CALL(timerfd_create) CALL(timerfd_settime) CALL(timerfd_gettime)                                \
  /* Memory. */                                                                                                                  \
  CALL(mremap) CALL(mincore) CALL(msync) CALL(mlock) CALL(mlock2) CALL(munlock) CALL(munlockall) CALL(mseal) CALL(pkey_alloc)    \
  CALL(pkey_free) CALL(pkey_mprotect) CALL(map_shadow_stack) CALL(arch_prctl) CALL(riscv_flush_icache)                           \
  /* Threads and signals. */                                                                                                     \
  CALL(futex_waitv) CALL(futex_wait) CALL(futex_wake) CALL(futex_requeue) CALL(membarrier) CALL(rseq) CALL(set_robust_list)      \
  CALL(get_robust_list) CALL(set_tid_address) CALL(sched_yield) CALL(sched_getaffinity) CALL(sched_getattr)                      \
  CALL(sched_getparam) CALL(sched_getscheduler) CALL(sched_get_priority_max) CALL(sched_get_priority_min)                        \
  CALL(sched_rr_get_interval) CALL(getpriority) CALL(ioprio_get) CALL(getcpu) CALL(rt_sigaction) CALL(rt_sigprocmask)            \
  CALL(rt_sigreturn) CALL(rt_sigpending) CALL(rt_sigtimedwait) CALL(rt_sigsuspend) CALL(sigaltstack) CALL(restart_syscall)       \
  CALL(wait4) CALL(waitid) CALL(exit) CALL(exit_group)                                                                           \
  /* Facts about the process and the system. */                                                                                  \
  CALL(gettid) CALL(getpid) CALL(getppid) CALL(getuid) CALL(geteuid) CALL(getgid) CALL(getegid) CALL(getgroups) CALL(getresuid)  \
  CALL(getresgid) CALL(getpgid) CALL(getpgrp) CALL(getsid) CALL(getrlimit) CALL(getrusage) CALL(capget) CALL(times)              \
  CALL(sysinfo) CALL(uname) CALL(riscv_hwprobe) CALL(getrandom)                                                                  \
  /* Time. */                                                                                                                    \
  CALL(time) CALL(gettimeofday) CALL(clock_getres) CALL(clock_nanosleep) CALL(nanosleep) CALL(alarm) CALL(pause)                 \
  CALL(setitimer) CALL(getitimer) CALL(timer_create) CALL(timer_settime) CALL(timer_gettime) CALL(timer_getoverrun)              \
  CALL(timer_delete)

/* Calls whose arguments decide; see policy.c. */
#define JUDGED_CALLS(CALL)                                                                                                       \
  CALL(clone) CALL(kill) CALL(tgkill) CALL(rt_sigqueueinfo) CALL(rt_tgsigqueueinfo) CALL(prlimit64) CALL(sched_setaffinity)      \
  CALL(fcntl) CALL(ioctl) CALL(prctl) CALL(personality) CALL(process_vm_readv)

/*
 * Calls that benign libraries attempt, and do without after EPERM, as in a container without capabilities. Many of them reach
 * other processes, the network or the settings of the system. The kernel does not run them, so an attacker gains nothing by the
 * attempt.
 *
 * Some are here because no other layer covers what they do: landlock(7) ignores the mode, the owner and the times of a file and
 * who watches it, and the memory limit ignores memfd_create(2).
 */
#define REFUSED_CALLS(CALL)                                                                                                      \
  /* Other processes. */                                                                                                         \
  CALL(fork) CALL(vfork) CALL(execve) CALL(execveat) CALL(tkill) CALL(setpgid) CALL(setsid) CALL(pidfd_open) CALL(pidfd_getfd)   \
  CALL(pidfd_send_signal) CALL(process_madvise) CALL(process_mrelease) CALL(kcmp) CALL(shmget)            \
  CALL(shmat) CALL(shmctl) CALL(shmdt) CALL(semget) CALL(semop) CALL(semctl) CALL(semtimedop) CALL(msgget) CALL(msgsnd)          \
  CALL(msgrcv) CALL(msgctl) CALL(mq_open) CALL(mq_unlink) CALL(mq_timedsend) CALL(mq_timedreceive) CALL(mq_notify)               \
  CALL(mq_getsetattr)                                                                                                            \
  /* The network. */                                                                                                             \
  CALL(socket) CALL(socketpair) CALL(connect) CALL(accept) CALL(accept4) CALL(bind) CALL(listen) CALL(sendto) CALL(recvfrom)     \
  CALL(sendmsg) CALL(recvmsg) CALL(sendmmsg) CALL(recvmmsg) CALL(shutdown) CALL(getsockname) CALL(getpeername) CALL(setsockopt)  \
  CALL(getsockopt)                                                                                                               \
  /* Files. */                                                                                                                   \
  CALL(chmod) CALL(fchmod) CALL(fchmodat) CALL(fchmodat2) CALL(chown) CALL(lchown) CALL(fchown) CALL(fchownat) CALL(utime)       \
  CALL(utimes) CALL(futimesat) CALL(utimensat) CALL(truncate) CALL(mknod) CALL(mknodat) CALL(inotify_init) CALL(inotify_init1)   \
  CALL(inotify_add_watch) CALL(inotify_rm_watch) CALL(fanotify_init) CALL(fanotify_mark) CALL(name_to_handle_at) CALL(sync)      \
  CALL(syncfs) CALL(vmsplice) CALL(file_getattr) CALL(file_setattr) CALL(ustat) CALL(sysfs) CALL(lookup_dcookie)                 \
  /* Mounts, quotas, namespaces. */                                                                                              \
  CALL(mount) CALL(umount2) CALL(chroot) CALL(fsopen) CALL(fsconfig) CALL(fsmount) CALL(fspick) CALL(open_tree)                  \
  CALL(open_tree_attr) CALL(move_mount) CALL(mount_setattr) CALL(statmount) CALL(listmount) CALL(quotactl) CALL(quotactl_fd)     \
  CALL(unshare) CALL(setns)                                                                                                      \
  /* Memory. */                                                                                                                  \
  CALL(memfd_create) CALL(mlockall) CALL(remap_file_pages) CALL(mbind) CALL(get_mempolicy) CALL(set_mempolicy)                   \
  CALL(set_mempolicy_home_node) CALL(migrate_pages) CALL(move_pages) CALL(userfaultfd) CALL(modify_ldt) CALL(set_thread_area)    \
  CALL(get_thread_area)                                                                                                          \
  /* Rights, limits and priorities. */                                                                                           \
  CALL(setuid) CALL(setgid) CALL(setreuid) CALL(setregid) CALL(setresuid) CALL(setresgid) CALL(setfsuid) CALL(setfsgid)          \
  CALL(setgroups) CALL(capset) CALL(setrlimit) CALL(setpriority) CALL(ioprio_set) CALL(sched_setscheduler) CALL(sched_setparam)  \
  CALL(sched_setattr) CALL(seccomp) CALL(add_key) CALL(request_key) CALL(keyctl) CALL(ioperm) CALL(iopl)                         \
  CALL(lsm_get_self_attr) CALL(lsm_set_self_attr) CALL(lsm_list_modules)                                                         \
  /* The system. */                                                                                                              \
  CALL(bpf) CALL(perf_event_open) CALL(syslog) CALL(acct) CALL(sethostname) CALL(setdomainname) CALL(settimeofday)               \
  CALL(clock_settime) CALL(clock_adjtime) CALL(adjtimex) CALL(vhangup) CALL(io_destroy) CALL(io_getevents) CALL(io_pgetevents)   \
  CALL(io_submit) CALL(io_cancel) CALL(io_uring_enter) CALL(io_uring_register) CALL(uselib) CALL(_sysctl)

/*
 * Reads of extended attributes by path, and all changes of them, which landlock(7) does not cover. They fail as on a file
 * system without extended attributes, which libraries expect.
 */
#define UNSUPPORTED_CALLS(CALL)                                                                                                  \
  CALL(getxattr) CALL(lgetxattr) CALL(getxattrat) CALL(listxattr) CALL(llistxattr) CALL(listxattrat) CALL(setxattr)              \
  CALL(lsetxattr) CALL(fsetxattr) CALL(setxattrat) CALL(removexattr) CALL(lremovexattr) CALL(fremovexattr) CALL(removexattrat)

/*
 * Calls that programs replace by older ones on a kernel without them. clone3(2) is here because its flags are in memory, which
 * a filter cannot read: after ENOSYS the C library uses clone(2), whose flags are an argument.
 */
#define ABSENT_CALLS(CALL)                                                                                                       \
  CALL(clone3) CALL(io_setup) CALL(io_uring_setup) CALL(memfd_secret) CALL(landlock_create_ruleset) CALL(landlock_add_rule)      \
  CALL(landlock_restrict_self)                                                                                                   \
  /* Numbers that the kernel reserves and does not implement. */                                                                 \
  CALL(afs_syscall) CALL(create_module) CALL(epoll_ctl_old) CALL(epoll_wait_old) CALL(get_kernel_syms) CALL(getpmsg)             \
  CALL(nfsservctl) CALL(putpmsg) CALL(query_module) CALL(security) CALL(tuxcall) CALL(vserver)

/*
 * Calls that no benign library attempts: they control other processes, load or replace the kernel's code, reboot the system,
 * change its root or its swap, or bypass the permissions of directories. One attempt ends the worker.
 */
#define ATTACK_CALLS(CALL)                                                                                                       \
  CALL(ptrace) CALL(process_vm_writev) CALL(init_module) CALL(finit_module) CALL(delete_module) CALL(kexec_load)                 \
  CALL(kexec_file_load) CALL(reboot) CALL(swapon) CALL(swapoff) CALL(pivot_root) CALL(open_by_handle_at)

/*
 * Expands to the text of the call's number, or to "SYS_NAME" if the headers do not define SYS_NAME. So the table needs no
 * #ifdef for a call that an architecture or an older header lacks.
 */
#define TEXT(name) #name
#define EXPANDED_TEXT(name) TEXT(name)

static const struct {
  const char *name, *number;
  int32_t verdict;
} table[] = {
#define ALLOWED(name) {#name, EXPANDED_TEXT(SYS_##name), TROUPE_CALL_ALLOWED},
#define JUDGED(name) {#name, EXPANDED_TEXT(SYS_##name), TROUPE_CALL_JUDGED},
#define REFUSED(name) {#name, EXPANDED_TEXT(SYS_##name), TROUPE_CALL_REFUSED},
#define UNSUPPORTED(name) {#name, EXPANDED_TEXT(SYS_##name), TROUPE_CALL_UNSUPPORTED},
#define ABSENT(name) {#name, EXPANDED_TEXT(SYS_##name), TROUPE_CALL_ABSENT},
#define ATTACK(name) {#name, EXPANDED_TEXT(SYS_##name), TROUPE_CALL_ATTACK},
  ALLOWED_CALLS(ALLOWED) JUDGED_CALLS(JUDGED) REFUSED_CALLS(REFUSED) UNSUPPORTED_CALLS(UNSUPPORTED) ABSENT_CALLS(ABSENT)
  ATTACK_CALLS(ATTACK)
};

/* Parses "202", or the sum "(244 + 15)" of the RISC-V headers. Returns -1 for "SYS_NAME". */
static int32_t number(const char *text) {
  if (*text == 'S') return -1;
  char *rest;
  int32_t number = (int32_t)strtol(text + (*text == '('), &rest, 10);
  return *rest == ' ' ? number + (int32_t)strtol(strchr(rest, '+') + 1, NULL, 10) : number;
}

struct troupe_system_call troupe_system_call_at(size_t index) {
  if (index >= sizeof table / sizeof *table) return (struct troupe_system_call){.name = NULL, .number = -1};
  return (struct troupe_system_call){table[index].name, number(table[index].number), table[index].verdict};
}

const char *troupe_system_call_name(int32_t wanted) {
  for (size_t index = 0; wanted >= 0 && index < sizeof table / sizeof *table; index++) {
    if (number(table[index].number) == wanted) return table[index].name;
  }
  return NULL;
}

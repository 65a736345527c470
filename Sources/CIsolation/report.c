#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "channel.h"
#include "instruction.h"

static struct troupe_report *report;

static void report_signal(int signal, siginfo_t *information, void *context) {
  static atomic_flag is_reported = ATOMIC_FLAG_INIT;
  /* The first signal of the process counts. */
  if (!atomic_flag_test_and_set(&is_reported)) {
    /* SYS_SECCOMP, which the C library does not define: the filter has refused a call. */
    const int by_filter = 1;
    if (signal == SIGSYS && information->si_code == by_filter) report->system_call = information->si_syscall;
    report->address = (uint64_t)(uintptr_t)information->si_addr;
    report->instruction = troupe_instruction(context);
    __atomic_store_n(&report->signal, signal, __ATOMIC_RELEASE);
  }
  /* The handler is gone (SA_RESETHAND), so that the signal ends the process. */
  raise(signal);
}

void troupe_report_signals(void *memory) {
  report = memory;
  struct sigaction action = {.sa_sigaction = report_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER};
  const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) sigaction(signals[index], &action, NULL);
}

struct troupe_report troupe_report_read(const void *memory) {
  /* A copy, since the memory may still change. */
  struct troupe_report copy;
  memcpy(&copy, memory, sizeof copy);
  return copy;
}

const char *troupe_call_name(int32_t number) {
#define CALL(name) {SYS_##name, #name}
  static const struct {
    int number;
    const char *name;
  } calls[] = {
    CALL(socket), CALL(socketpair), CALL(connect), CALL(bind), CALL(listen), CALL(accept4), CALL(sendto), CALL(recvfrom),
    CALL(sendmsg), CALL(recvmsg), CALL(execve), CALL(execveat), CALL(clone), CALL(unshare), CALL(setns), CALL(ptrace),
    CALL(process_vm_readv), CALL(process_vm_writev), CALL(kill), CALL(tkill), CALL(tgkill), CALL(rt_sigqueueinfo),
    CALL(rt_tgsigqueueinfo), CALL(pidfd_open), CALL(pidfd_getfd), CALL(pidfd_send_signal), CALL(prlimit64), CALL(io_uring_setup),
    CALL(io_uring_enter), CALL(io_uring_register), CALL(userfaultfd), CALL(bpf), CALL(perf_event_open), CALL(mount), CALL(umount2),
    CALL(pivot_root), CALL(chroot), CALL(add_key), CALL(request_key), CALL(keyctl), CALL(setuid), CALL(setgid), CALL(setresuid),
    CALL(setresgid), CALL(setgroups), CALL(capset), CALL(init_module), CALL(finit_module), CALL(delete_module), CALL(kexec_load),
    CALL(reboot), CALL(swapon), CALL(sethostname), CALL(settimeofday), CALL(clock_settime), CALL(personality), CALL(mlockall),
    CALL(inotify_init1), CALL(fanotify_init), CALL(shmget), CALL(msgget), CALL(semget), CALL(mq_open), CALL(seccomp),
    CALL(setpgid), CALL(setsid), CALL(mknodat), CALL(name_to_handle_at), CALL(open_by_handle_at), CALL(signalfd4),
#if defined(__x86_64__)
    CALL(fork), CALL(vfork), CALL(ioperm), CALL(iopl), CALL(mknod), CALL(accept),
#endif
  };
  for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) {
    if (calls[index].number == number) return calls[index].name;
  }
  return NULL;
}

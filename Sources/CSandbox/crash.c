#define _GNU_SOURCE
#include "crash_handler.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filter_rules.h"

#if !defined(TROUPE_ARCHITECTURE)
#define TROUPE_ARCHITECTURE 0
#endif

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
enum { signal_count = sizeof signals / sizeof *signals };

/* The report. */

static uint64_t instruction(const ucontext_t *context) {
#if defined(__x86_64__)
  return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return context->uc_mcontext.pc;
#elif defined(__riscv)
  return context->uc_mcontext.__gregs[REG_PC];
#else
  (void)context;
  return 0;
#endif
}

/* Whether a fault was one of a write; -1 if the machine does not say. */
static int32_t is_write(const ucontext_t *context) {
#if defined(__x86_64__)
  enum { write_bit = 2 };
  return (context->uc_mcontext.gregs[REG_ERR] & write_bit) != 0;
#else
  (void)context;
  return -1;
#endif
}

void troupe_crash_describe(struct troupe_crash *crash, int signal, const siginfo_t *information, const ucontext_t *context) {
  /* SYS_SECCOMP, which the C library does not define. */
  enum { by_filter = 1 };
  /* The numbers of another architecture have other names. */
  int is_refused = signal == SIGSYS && information->si_code == by_filter && information->si_arch == TROUPE_ARCHITECTURE;
  crash->system_call = is_refused ? information->si_syscall : -1;
  /* The watching process is the parent. */
  int is_asked = signal == SIGSYS && information->si_code == SI_QUEUE && information->si_pid == getppid();
  crash->cause = is_asked ? information->si_value.sival_int : 0;
  crash->instruction = instruction(context);
  crash->calls[0] = crash->instruction;
  crash->call_count = 1;
  crash->argument.position = 0;
  /* Only a fault has an address. */
  if (signal == SIGSEGV && information->si_code == SEGV_ACCERR) {
    linux_guarded_find((uint64_t)(uintptr_t)information->si_addr, &crash->argument);
    crash->is_write = is_write(context);
  }
  /* Last, since a worker's host takes the report for complete with it. */
  __atomic_store_n(&crash->signal, signal, __ATOMIC_RELEASE);
}

/* Returns the return address of a function that has just been called, or 0. */
static uint64_t caller(const ucontext_t *context) {
#if defined(__x86_64__)
  /* The kernel reads a set of signals of 8 bytes before it refuses to do something unknown with it, so that the error tells whether the
   * stack is readable. Workers have no call for that purpose, such as process_vm_readv. */
  const long unknown = -1, size = 8;
  const uint64_t *stack = (const uint64_t *)context->uc_mcontext.gregs[REG_RSP];
  return syscall(SYS_rt_sigprocmask, unknown, stack, NULL, size) != 0 && errno == EINVAL ? *stack : 0;
#elif defined(__aarch64__)
  return context->uc_mcontext.regs[30];
#elif defined(__riscv)
  return context->uc_mcontext.__gregs[REG_RA];
#else
  (void)context;
  return 0;
#endif
}

void troupe_crash_find_calls(struct troupe_crash *crash, const ucontext_t *context) {
  void *frames[troupe_most_calls];
  int count = backtrace(frames, troupe_most_calls);
  int is_call = 0;
  for (int frame = 0; frame < count; frame++) {
    crash->calls[frame] = (uint64_t)(uintptr_t)frames[frame];
    is_call |= crash->calls[frame] == crash->instruction;
  }
  if (!is_call) {
    /* Without code at the address, unwinding fails; the caller is on the stack. */
    crash->calls[0] = crash->instruction;
    crash->calls[1] = caller(context);
    count = 2;
  }
  crash->call_count = (uint32_t)count;
}

void troupe_crash_prepare(void) {
  void *frame;
  backtrace(&frame, 1);
}

void troupe_crash_prepare_thread(void) {
  enum { size = 64 * 1024 };
  stack_t current;
  if (sigaltstack(NULL, &current) == 0 && !(current.ss_flags & SS_DISABLE) && current.ss_size >= size) return;
  stack_t stack = {.ss_sp = malloc(size), .ss_size = size};
  if (stack.ss_sp) sigaltstack(&stack, NULL);
}

/* The host. */

/* The signals by which a user or a supervisor ends a program. */
static const int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2};

/* Without SA_NODEFER a second fault, in the search for the calls, would end the process. */
static const int flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;

static struct troupe_crash crash;
static atomic_flag has_crashed = ATOMIC_FLAG_INIT;
static pid_t owner;
static int output = -1;
static ino_t pipe_inode;
/* The numbers of troupe_crash_add_marks, one for each host that watches its plugins. */
enum { most_marks = 16 };
static _Atomic(volatile uint64_t *) marks[most_marks];
/* The thread of the first signal. */
static pid_t crashed_thread;
static volatile int32_t final_status;
/* The status of an exit that has begun, or -1. */
static volatile int32_t exit_status = -1;

/* The seconds after which a process with a signal ends if it has not been reported. */
enum { signal_time = 15 };

int troupe_crash_is_own(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode) && status.st_ino == pipe_inode;
}

static int send(char byte) { return troupe_crash_is_own(output) && write(output, &byte, 1) == 1; }

/* The actions of the program before troupe_crash_catch. All zero, the default action, if it does not pass on signals. */
static struct sigaction previous[signal_count];
static int passes_on;
/* Posted when the report is done. */
static sem_t reported;

/* Ends the process by a signal as it would have ended without the handlers of this file. */
static _Noreturn void end_as_before(int signal, siginfo_t *information, void *context) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  for (size_t index = 0; index < signal_count; index++) {
    sigaction(signals[index], &previous[index], NULL);
    if (signals[index] == signal) action = previous[index];
  }
  /* A backtrace of the program may take long. */
  alarm(0);
  if (action.sa_flags & SA_SIGINFO) {
    action.sa_sigaction(signal, information, context);
  } else if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
    action.sa_handler(signal);
  }
  troupe_crash_end(signal);
}

/* Whether a signal came from another process or from the terminal, and not from code or a timer of this process. */
static bool is_foreign(int signal, const siginfo_t *information) {
  switch (information->si_code) {
    case SI_USER: case SI_QUEUE: case SI_TKILL: return information->si_pid != owner;
    case SI_KERNEL: return signal == SIGINT || signal == SIGQUIT || signal == SIGHUP;
    default: return false;
  }
}

/* If signals are passed on, waits for the report and ends the process by the first signal. */
static void await_report(siginfo_t *information, void *context) {
  if (!passes_on) return;
  while (sem_wait(&reported) != 0) {
  }
  end_as_before(crash.signal, information, context);
}

/* Makes the numbers zero and returns what they were in `former`: a plugin that happens to run is not at fault. */
static void clear_marks(uint64_t former[most_marks]) {
  for (size_t index = 0; index < most_marks; index++) {
    volatile uint64_t *length = atomic_load(&marks[index]);
    former[index] = length ? *length : 0;
    if (length) *length = 0;
  }
}

static void restore_marks(const uint64_t former[most_marks]) {
  for (size_t index = 0; index < most_marks; index++) {
    volatile uint64_t *length = atomic_load(&marks[index]);
    if (length) *length = former[index];
  }
}

/* Gives a signal of another process to the program, as if the handlers of this file were not there. */
static void forward(int signal, siginfo_t *information, void *context) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  for (size_t index = 0; index < signal_count; index++) {
    if (signals[index] == signal) action = previous[index];
  }
  bool has_information = action.sa_flags & SA_SIGINFO;
  if (!has_information && action.sa_handler == SIG_IGN) return;
  uint64_t former[most_marks];
  clear_marks(former);
  if (has_information) {
    action.sa_sigaction(signal, information, context);
  } else if (action.sa_handler != SIG_DFL) {
    action.sa_handler(signal);
  } else {
    end_as_before(signal, information, context);
  }
  restore_marks(former);
}

static void handle(int signal, siginfo_t *information, void *context) {
  /* A forked process has no thread that reads. */
  if (getpid() != owner) end_as_before(signal, information, context);
  if (passes_on && is_foreign(signal, information)) {
    forward(signal, information, context);
    return;
  }
  if (!atomic_flag_test_and_set(&has_crashed)) {
    crashed_thread = gettid();
    troupe_crash_describe(&crash, signal, information, context);
    troupe_crash_end_within(signal_time, exit_status >= 0 ? exit_status : 128 + signal);
    if (!send(TROUPE_CRASH_SIGNAL)) {
      /* Foreign code has closed the descriptor. */
      if (exit_status >= 0) _exit(exit_status);
      end_as_before(signal, information, context);
    }
    troupe_crash_find_calls(&crash, context);
    send(TROUPE_CRASH_SIGNAL);
    await_report(information, context);
  }
  /* A second fault of this thread was in the search for the calls: they stay unknown. */
  if (gettid() == crashed_thread) await_report(information, context);
  for (;;) pause();
}

void troupe_crash_pass_on(void) { sem_post(&reported); }

static void handle_ending(int signal, siginfo_t *information, void *context) {
  (void)context;
  uint64_t former[most_marks];
  if (getpid() == owner && is_foreign(signal, information)) clear_marks(former);
  troupe_crash_end(signal);
}

/* A plugin that a user interrupts is not at fault. Signals that the program ignores or handles stay as they are. */
static void catch_endings(void) {
  for (size_t index = 0; index < sizeof endings / sizeof *endings; index++) {
    struct sigaction action;
    if (sigaction(endings[index], NULL, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action = (struct sigaction){.sa_sigaction = handle_ending, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(endings[index], &action, NULL);
  }
}

void troupe_crash_add_marks(uint64_t *length) {
  for (size_t index = 0; index < most_marks; index++) {
    volatile uint64_t *expected = NULL;
    if (atomic_compare_exchange_strong(&marks[index], &expected, length)) return;
  }
}

void troupe_crash_remove_marks(uint64_t *length) {
  for (size_t index = 0; index < most_marks; index++) {
    volatile uint64_t *expected = length;
    if (atomic_compare_exchange_strong(&marks[index], &expected, NULL)) return;
  }
}

int troupe_crash_catch(int passes) {
  int ends[2];
  if (sem_init(&reported, 0, 0) != 0 || pipe2(ends, O_CLOEXEC) != 0) return -1;
  passes_on = passes;
  struct stat status;
  if (fstat(ends[0], &status) == 0) pipe_inode = status.st_ino;
  owner = getpid();
  output = ends[1];
  troupe_crash_prepare();
  for (size_t index = 0; index < signal_count; index++) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = flags};
    sigaction(signals[index], &action, passes_on ? &previous[index] : NULL);
  }
  if (!passes_on) catch_endings();
  return ends[0];
}

void troupe_crash_release(int descriptor) {
  for (size_t index = 0; index < signal_count; index++) sigaction(signals[index], &previous[index], NULL);
  for (size_t index = 0; index < sizeof endings / sizeof *endings; index++) {
    struct sigaction action;
    if (sigaction(endings[index], NULL, &action) == 0 && action.sa_sigaction == handle_ending) signal(endings[index], SIG_DFL);
  }
  close(descriptor);
  close(output);
}

void troupe_crash_begin_exit(int32_t status) {
  exit_status = status;
  send(TROUPE_CRASH_WAKE);
}

const struct troupe_crash *troupe_crash_report(void) { return &crash; }

void troupe_crash_interrupt(pthread_t thread) {
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = flags};
  sigaction(SIGQUIT, &action, NULL);
  pthread_kill(thread, SIGQUIT);
}

void troupe_crash_end(int32_t signal) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigaction(signal, &action, NULL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  raise(signal);
  _exit(128 + signal);
}

static void end(int signal) {
  (void)signal;
  _exit(final_status);
}

void troupe_crash_end_within(unsigned seconds, int32_t status) {
  final_status = status;
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGALRM, &action, NULL);
  alarm(seconds);
}

/* Workers. */

static struct troupe_crash *report;

/* The seconds after which the process ends if its calls cannot be found, for example because the signal interrupted the loader. */
enum { search_time = 1 };

/* Ends the process by the reported signal, whose handler is gone. */
static void end_search(int signal) {
  (void)signal;
  raise(report->signal);
}

static void write_report(int signal, siginfo_t *information, void *context) {
  static atomic_flag is_reported = ATOMIC_FLAG_INIT;
  /* The first signal of the process counts. */
  if (!atomic_flag_test_and_set(&is_reported)) {
    troupe_crash_describe(report, signal, information, context);
    struct sigaction ending = {.sa_handler = end_search};
    sigaction(SIGALRM, &ending, NULL);
    alarm(search_time);
    troupe_crash_find_calls(report, context);
  }
  /* The handler is gone (SA_RESETHAND), so that the signal ends the process. */
  raise(signal);
}

void troupe_crash_write_to(void *memory) {
  report = memory;
  troupe_crash_prepare();
  struct sigaction action = {.sa_sigaction = write_report, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER};
  for (size_t index = 0; index < signal_count; index++) sigaction(signals[index], &action, NULL);
}

struct troupe_crash troupe_crash_read(const void *memory) {
  struct troupe_crash copy;
  memcpy(&copy, memory, sizeof copy);
  return copy;
}

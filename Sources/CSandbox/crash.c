#define _GNU_SOURCE
#include "crash.h"

#include "backtrace.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};

/* The signals by which a user or a supervisor ends a program. */
static const int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2};

/* Without SA_NODEFER a second fault, in the search for the calls, would end the process. */
static const int flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;

static struct troupe_crash crash;
static atomic_flag has_crashed = ATOMIC_FLAG_INIT;
static pid_t owner;
static int output = -1;
static ino_t pipe_inode;
static _Atomic(volatile uint64_t *) marks;
static volatile int32_t final_status;
/* The status of an exit that has begun, or -1. */
static volatile int32_t exit_status = -1;

/* The seconds after which a process with a signal ends if it has not been reported. */
enum { signal_time = 15 };

_Static_assert(sizeof crash.calls / sizeof *crash.calls == troupe_most_calls, "as many as troupe_calls writes");

int troupe_crash_is_own(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode) && status.st_ino == pipe_inode;
}

static int send(char byte) { return troupe_crash_is_own(output) && write(output, &byte, 1) == 1; }

static void handle(int signal, siginfo_t *information, void *context) {
  (void)information;
  /* A forked process has no thread that reads. */
  if (getpid() != owner) troupe_crash_end(signal);
  if (!atomic_flag_test_and_set(&has_crashed)) {
    crash.signal = signal;
    crash.instruction = troupe_instruction(context);
    crash.calls[0] = crash.instruction;
    crash.count = 1;
    troupe_crash_end_within(signal_time, exit_status >= 0 ? exit_status : 128 + signal);
    if (!send(TROUPE_CRASH_SIGNAL)) {
      /* Foreign code has closed the descriptor. */
      if (exit_status >= 0) _exit(exit_status);
      troupe_crash_end(signal);
    }
    crash.count = troupe_calls(context, crash.calls);
    send(TROUPE_CRASH_SIGNAL);
  }
  for (;;) pause();
}

/* Whether a signal came from another process or from the terminal, and not from code or a timer of this process. */
static bool is_foreign(int signal, const siginfo_t *information) {
  switch (information->si_code) {
    case SI_USER: case SI_QUEUE: case SI_TKILL: return information->si_pid != owner;
    case SI_KERNEL: return signal == SIGINT || signal == SIGQUIT || signal == SIGHUP;
    default: return false;
  }
}

static void handle_ending(int signal, siginfo_t *information, void *context) {
  (void)context;
  volatile uint64_t *length = atomic_load(&marks);
  if (length && getpid() == owner && is_foreign(signal, information)) *length = 0;
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

void troupe_crash_set_marks(uint64_t *length) { atomic_store(&marks, length); }

int troupe_crash_catch(void) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  struct stat status;
  if (fstat(ends[0], &status) == 0) pipe_inode = status.st_ino;
  owner = getpid();
  output = ends[1];
  troupe_prepare_calls();
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = flags};
    sigaction(signals[index], &action, NULL);
  }
  catch_endings();
  return ends[0];
}

void troupe_crash_release(int descriptor) {
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) signal(signals[index], SIG_DFL);
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

void troupe_crash_prepare_thread(void) {
  enum { size = 64 * 1024 };
  stack_t current;
  if (sigaltstack(NULL, &current) == 0 && !(current.ss_flags & SS_DISABLE) && current.ss_size >= size) return;
  stack_t stack = {.ss_sp = malloc(size), .ss_size = size};
  if (stack.ss_sp) sigaltstack(&stack, NULL);
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

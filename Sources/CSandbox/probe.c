#define _GNU_SOURCE
#include "backtrace.h"
#include "probe.h"
#include "processes.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <float.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* In ProbeChild.swift; missing in a program that starts processes and has no host. */
extern void troupe_probe_main(int32_t descriptor) __attribute__((weak));
/* In WorkerMain.swift. */
extern void troupe_worker_main(int32_t descriptor) __attribute__((weak));

/* Runs the function of a role if the variable has the descriptor of a channel. */
static void begin_as(const char *variable, void (*run)(int32_t)) {
  const char *text = secure_getenv(variable);
  if (!text || !*text) return;
  int descriptor = atoi(text);
  unsetenv(variable);
  if (!run) _exit(70);
  run(descriptor);
}

/*
 * Runs a probe or a worker before main, so that every program that embeds the host is its own probe. In a program that opens the library with
 * dlopen the loader would hold its lock during the probe. Such a program, like the launchers, should unset the variable first and call
 * troupe_probe_main itself, or have troupe-probe started instead.
 */
__attribute__((constructor)) static void begin(void) {
  begin_as(TROUPE_PROBE_VARIABLE, troupe_probe_main);
  begin_as(TROUPE_WORKER_VARIABLE, troupe_worker_main);
}

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGXFSZ, SIGQUIT};
static int report = -1;
static pid_t owner;

/* SYS_SECCOMP, which the C library does not define. */
enum { system_call_was_filtered = 1 };

/* Returns the cause of a signal in probe.h, or 0. */
static int32_t cause_of(int signal, const siginfo_t *information) {
  if (signal != SIGSYS) return 0;
  if (information->si_code == system_call_was_filtered) return information->si_errno;
  /* The watching process refused the system call. */
  if (information->si_code == SI_QUEUE && information->si_pid == getppid()) return information->si_value.sival_int;
  return 0;
}

static void send_signal(int32_t signal, int32_t cause, uint64_t place, const uint64_t calls[], uint32_t count) {
  char content[20 + 8 * troupe_most_calls];
  memcpy(content, &signal, 4);
  memcpy(content + 4, &cause, 4);
  memcpy(content + 8, &place, 8);
  memcpy(content + 16, &count, 4);
  memcpy(content + 20, calls, 8 * count);
  troupe_probe_send(report, TROUPE_PROBE_SIGNAL, content, 20 + 8 * count);
}

static void send_maps(void) {
  int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  char piece[4096];
  ssize_t count;
  while (maps >= 0 && (count = read(maps, piece, sizeof piece)) > 0) {
    troupe_probe_send(report, TROUPE_PROBE_MAPS, piece, (size_t)count);
  }
}

/* The signal that troupe_probe_forwards sends, or 0, and whether it has arrived. */
static volatile sig_atomic_t expected, has_arrived;

static void report_signal(int signal, siginfo_t *information, void *context) {
  if (signal == expected) {
    has_arrived = 1;
    return;
  }
  struct sigaction fallback = {.sa_handler = SIG_DFL};
  sigaction(signal, &fallback, NULL);
  /* A process that the plugin forked does not report. */
  if (getpid() == owner) {
    int32_t cause = cause_of(signal, information);
    uint64_t place = troupe_instruction(context);
    uint64_t calls[troupe_most_calls] = {place};
    /* First the address and the maps: a backtrace may hang in a broken process, which the host then ends. */
    send_signal(signal, cause, place, calls, 1);
    send_maps();
    send_signal(signal, cause, place, calls, troupe_calls(context, calls));
  }
  /* The signal is blocked during its handler and ends the process after it. */
  raise(signal);
}

void troupe_probe_report_signals(int descriptor) {
  report = descriptor;
  owner = getpid();
  troupe_prepare_calls();
  /* For an overflown stack. Lives as long as the process. */
  static char stack[64 * 1024];
  stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternative, NULL);
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) {
    struct sigaction action = {.sa_sigaction = report_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(signals[index], &action, NULL);
  }
}

int troupe_probe_forwards(int signal) {
  if (report < 0) return 0;
  /* SEGV_MAPERR, BUS_ADRALN, FPE_INTDIV, ILL_ILLOPC or TRAP_BRKPT: runtimes do not forward a signal that a process has sent. */
  siginfo_t fault = {.si_signo = signal, .si_code = 1};
  expected = signal;
  has_arrived = 0;
  syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signal, &fault);
  expected = 0;
  return has_arrived;
}

void troupe_probe_ignore_signals(void) {
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signals[index], &action, NULL);
  }
}

int troupe_probe_start(
  const char *executable, int channel, int output, const int32_t further[], size_t count, char *const arguments[],
  char *const environment[], pid_t *process) {
  enum { own_channel = 3 };
  /* Through spare numbers, since each descriptor may have the final number of the other. */
  int spare[2], found = 0;
  size_t passed = 0;
  for (int number = own_channel + 1; found < 2; number++) {
    while (passed < count && further[passed] < number) passed++;
    int is_further = passed < count && further[passed] == number;
    if (number != channel && number != output && !is_further) spare[found++] = number;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, channel, spare[0]);
  posix_spawn_file_actions_adddup2(&actions, output, spare[1]);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, spare[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, spare[1], STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, spare[0], own_channel);
  /* In ascending order, so that none replaces one that follows. A descriptor with its final number loses O_CLOEXEC. */
  int next = own_channel + 1;
  for (size_t index = 0; index < count; index++) posix_spawn_file_actions_adddup2(&actions, further[index], next++);
  posix_spawn_file_actions_addclosefrom_np(&actions, next);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t set;
  sigemptyset(&set);
  posix_spawnattr_setsigmask(&attributes, &set);
  sigfillset(&set);
  posix_spawnattr_setsigdefault(&attributes, &set);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int code = posix_spawn(process, executable ? executable : "/proc/self/exe", &actions, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return code;
}

const char *troupe_probe_signal_name(int signal) { return sigabbrev_np(signal); }

int troupe_probe_poll(struct pollfd *events, nfds_t count, int milliseconds) {
  int found = poll(events, count, milliseconds);
  if (found >= 0 || errno == EINTR) return found;
  struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
  return ppoll(events, count, milliseconds < 0 ? NULL : &time, NULL);
}

int troupe_probe_has_ended(int process) {
  struct pollfd event = {.fd = process, .events = POLLIN};
  return troupe_probe_poll(&event, 1, 0) > 0;
}

int troupe_probe_signal(int process, int signal) {
  return syscall(SYS_pidfd_send_signal, process, signal, NULL, 0) == 0 ? 0 : errno;
}

int troupe_probe_descriptor(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int troupe_probe_float_state(void) {
  /* volatile prevents constant folding. */
  volatile double least = DBL_MIN;
  int flushes = least / 2 == 0;
  return fegetround() << 8 | fegetexcept() << 1 | flushes;
}

struct troupe_probe_settings troupe_probe_settings(void) {
  struct sched_param parameters = {0};
  sched_getparam(0, &parameters);
  int death_signal = 0;
  prctl(PR_GET_PDEATHSIG, &death_signal, 0, 0, 0);
  return (struct troupe_probe_settings){
    .policy = sched_getscheduler(0),
    .priority = parameters.sched_priority,
    .death_signal = death_signal,
    .is_dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0),
    /* This value only queries. */
    .personality = personality(0xffffffff),
  };
}

char **troupe_probe_environment(void) { return environ; }

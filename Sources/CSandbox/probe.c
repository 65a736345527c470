#define _GNU_SOURCE
#include "crash_handler.h"
#include "probe.h"
#include "processes.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <float.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* In ProbeChild.swift; missing in a program that starts processes and has no host. */
extern void troupe_probe_main(int32_t descriptor) __attribute__((weak));
/* In WorkerMain.swift. */
extern void troupe_worker_main(int32_t descriptor) __attribute__((weak));

/* Reads the descriptor that a text begins with. Returns -1 unless the text ends after it, or goes on with a colon if it may. */
static int channel_in(const char *text, int may_continue) {
  if (*text < '0' || *text > '9') return -1;
  char *end;
  long number = strtol(text, &end, 10);
  return number <= INT_MAX && (!*end || (may_continue && *end == ':')) ? (int)number : -1;
}

/*
 * Runs a probe or a worker before main, so that every program that embeds the host is its own probe. In a program that opens the library with
 * dlopen the loader would hold its lock during the probe. Such a program, like the launchers, should unset the variable first and call
 * troupe_probe_main itself, or have troupe-probe started instead.
 */
__attribute__((constructor)) static void begin(void) {
  static const char worker[] = "worker:", answer[] = "answer:";
  const char *text = secure_getenv(TROUPE_PROBE_VARIABLE);
  if (!text || !*text) return;
  int channel = channel_in(text, 0);
  if (channel >= 0) {
    unsetenv(TROUPE_PROBE_VARIABLE);
    if (troupe_probe_main) troupe_probe_main(channel);
  } else if (strncmp(text, worker, strlen(worker)) == 0) {
    channel = channel_in(text + strlen(worker), 1);
    if (channel >= 0 && troupe_worker_main) troupe_worker_main(channel);
  } else if (strncmp(text, answer, strlen(answer)) == 0) {
    /* The program itself answers. */
    if (channel_in(text + strlen(answer), 0) >= 0) return;
  } else if (channel_in(text, 1) >= 0) {
    /* A launcher has taken the role of a worker, and calls its function next. */
    return;
  }
  /* A process without its role would do what its program does, and start children without end. */
  fprintf(stderr, "the environment requests a role that this program does not have: " TROUPE_PROBE_VARIABLE "=%s; unset it\n", text);
  _exit(70);
}

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGXFSZ, SIGQUIT};
static int report = -1;
static pid_t owner;

static void send_signal(const struct troupe_crash *crash) {
  char content[20 + 8 * troupe_most_calls];
  memcpy(content, &crash->signal, 4);
  memcpy(content + 4, &crash->cause, 4);
  memcpy(content + 8, &crash->instruction, 8);
  memcpy(content + 16, &crash->call_count, 4);
  memcpy(content + 20, crash->calls, 8 * crash->call_count);
  troupe_probe_send(report, TROUPE_PROBE_SIGNAL, content, 20 + 8 * crash->call_count);
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
    struct troupe_crash crash;
    troupe_crash_describe(&crash, signal, information, context);
    /* First the address and the maps: a backtrace may hang in a broken process, which the host then ends. */
    send_signal(&crash);
    send_maps();
    troupe_crash_find_calls(&crash, context);
    send_signal(&crash);
  }
  /* The signal is blocked during its handler and ends the process after it. */
  raise(signal);
}

void troupe_probe_report_signals(int descriptor) {
  report = descriptor;
  owner = getpid();
  troupe_crash_prepare();
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

void troupe_probe_reset_signals(void) {
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signals[index], &action, NULL);
  }
}

/* The number of the channel in the child. */
enum { own_channel = 3 };

/*
 * Gives the child its descriptors; see troupe_probe_start. The spare numbers lie between, since each descriptor may have the final number of
 * the other. Returns an errno: EBADF for a number above RLIMIT_NOFILE, or ENOMEM.
 */
static int add_descriptors(
  posix_spawn_file_actions_t *actions, int channel, int output, const int spare[2], const int32_t further[], size_t count) {
  int code;
  if ((code = posix_spawn_file_actions_adddup2(actions, channel, spare[0]))
      || (code = posix_spawn_file_actions_adddup2(actions, output, spare[1]))
      || (code = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0))
      || (code = posix_spawn_file_actions_adddup2(actions, spare[1], STDOUT_FILENO))
      || (code = posix_spawn_file_actions_adddup2(actions, spare[1], STDERR_FILENO))
      || (code = posix_spawn_file_actions_adddup2(actions, spare[0], own_channel))) {
    return code;
  }
  /* In ascending order, so that none replaces one that follows. A descriptor with its final number loses O_CLOEXEC. */
  int next = own_channel + 1;
  for (size_t index = 0; index < count; index++) {
    if ((code = posix_spawn_file_actions_adddup2(actions, further[index], next++))) return code;
  }
  return posix_spawn_file_actions_addclosefrom_np(actions, next);
}

/* The process begins with no blocked and no ignored signals, as the leader of a process group. */
static int set_attributes(posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int code;
  if ((code = posix_spawnattr_setsigmask(attributes, &none)) || (code = posix_spawnattr_setsigdefault(attributes, &all))
      || (code = posix_spawnattr_setpgroup(attributes, 0))) {
    return code;
  }
  return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

int troupe_probe_start(
  const char *executable, int channel, int output, const int32_t further[], size_t count, char *const arguments[],
  char *const environment[], pid_t *process) {
  int spare[2], found = 0;
  size_t passed = 0;
  for (int number = own_channel + 1; found < 2; number++) {
    while (passed < count && further[passed] < number) passed++;
    int is_further = passed < count && further[passed] == number;
    if (number != channel && number != output && !is_further) spare[found++] = number;
  }
  posix_spawn_file_actions_t actions;
  int code = posix_spawn_file_actions_init(&actions);
  if (code) return code;
  posix_spawnattr_t attributes;
  code = posix_spawnattr_init(&attributes);
  if (code == 0) {
    code = add_descriptors(&actions, channel, output, spare, further, count);
    if (code == 0) code = set_attributes(&attributes);
    if (code == 0) {
      code = posix_spawn(process, executable ? executable : "/proc/self/exe", &actions, &attributes, arguments, environment);
    }
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

const char *troupe_probe_signal_name(int signal) { return sigabbrev_np(signal); }

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

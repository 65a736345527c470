/*
 * The parts of a probe that cannot be written in Swift: code before main, code in signal handlers, and calls that Swift does not import.
 */
#ifndef TROUPE_PROBE_H
#define TROUPE_PROBE_H

#include "crash.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The environment variable that gives a process its role, and the descriptor of the channel to its host:
 *
 *    3                     a probe
 *    fork:3                a fork server, which troupe-probe becomes
 *    answer:3              a probe with the services of the program, which calls PluginHost.runAsProbeIfRequested
 *    check:3               a check of troupe validate
 *    worker:3:8 64 4096 7  a worker; behind the channel its shape and its host, see WorkerStart
 */
#define TROUPE_PROBE_VARIABLE "TROUPE_PROBE"

/*
 * The first bytes of the host on the channel. A key for the watching process, a key for the plugin's process and the request follow.
 */
#define TROUPE_PROBE_GREETING "troupe 3"
enum { TROUPE_PROBE_GREETING_SIZE = 8, TROUPE_PROBE_KEY_SIZE = 16 };

/*
 * The kinds of messages from a probe. A message consists of the length of its content as a uint32_t, its kind, the key of the sending
 * process, and its content, in the byte order of the machine.
 *
 * The key distinguishes a message from bytes that a plugin writes to a foreign descriptor. Its memory is readable only while a message
 * is sent, and a process that the plugin forks has no key. Within one address space there is no better protection: a plugin that changes
 * the protection of memory or the code of the host can forge messages. A probe detects faults at load time. It is not a sandbox.
 */
enum {
  TROUPE_PROBE_READY = 1,  /* no content: the request was read */
  TROUPE_PROBE_STEP = 2,   /* a step of loading, see ProbeRequest.swift */
  TROUPE_PROBE_REPORT = 3, /* the result, see ProbeRequest.swift */
  TROUPE_PROBE_DONE = 4,   /* no content: the regular end */
  /* int32_t signal, int32_t cause, uint64_t instruction, uint32_t count, uint64_t frames[count]; again once more frames are known */
  TROUPE_PROBE_SIGNAL = 5,
  TROUPE_PROBE_MAPS = 6, /* a piece of /proc/self/maps, which follows the signal */
  /* The watching process sends the following ones. */
  TROUPE_PROBE_END = 7,        /* struct troupe_probe_end */
  TROUPE_PROBE_NOT_STARTED = 8, /* int32_t: the errno of the failed fork */
  /* uint32_t length, char name[length]: a system call without which it cannot watch the plugin, and which fails */
  TROUPE_PROBE_NOT_WATCHED = 9
};

/* The end of the plugin's process. */
struct troupe_probe_end {
  int32_t status;  /* the status of waitpid(2) */
  int32_t refused; /* the cause for which a system call of it or its descendants was refused; 0 for none */
  int32_t lost_channel; /* whether it closed or replaced the channel */
};

/* The actions that a probe refuses, as causes of a signal; 0 for a signal of another cause. */
enum {
  TROUPE_PROBE_SIGNALS_OTHERS = 1, /* sends a signal to a foreign process, or requests one for it */
  TROUPE_PROBE_ENDS_ITSELF = 2,    /* sends its own process a signal such as SIGTERM */
  TROUPE_PROBE_TRACES = 3,         /* traces a process, or asks to be traced */
  TROUPE_PROBE_CHANGES_OTHERS = 4, /* reads or changes a foreign process */
  TROUPE_PROBE_FILTERS = 5,        /* installs a seccomp filter */
  TROUPE_PROBE_ADOPTS = 6,         /* changes the child subreaper */
  TROUPE_PROBE_LOCKS_MEMORY = 7,   /* locks all memory of the process */
  TROUPE_PROBE_FOREIGN_CALL = 8,   /* uses the system calls of another architecture */
  TROUPE_PROBE_ENDS_WITH_PARENT = 9, /* sets the parent-death signal */
  TROUPE_PROBE_SEPARATES = 10        /* gives the loading thread descriptors or directories of its own */
};

/* The exit status of a process of a probe that lost the channel. */
enum { TROUPE_PROBE_LOST_CHANNEL = 71 };

/*
 * Forks. The parent becomes the watching process and does not return; the child returns and loads the plugin. In C since Swift does not
 * import fork(2).
 *
 * The kernel asks the watching process before the child or its descendants make certain system calls, such as sending signals. Ends the
 * process with a message on standard error if the channel does not come from a host.
 */
void troupe_probe_watch(int channel);

/* Sends a message with the key of the plugin's process. Returns whether that succeeded. Not thread-safe. */
int troupe_probe_send(int channel, uint8_t kind, const void *content, size_t count);

/* Ends the plugin's process after it lost the channel. The watching process reports that. */
_Noreturn void troupe_probe_end_without_channel(void);

/*
 * Installs handlers for SIGQUIT and the signals of a crash that send the location to a descriptor before the process ends. In C since a
 * handler must neither allocate nor lock.
 */
void troupe_probe_report_signals(int descriptor);

/*
 * Whether the handler of a signal that a plugin has installed forwards a fault outside of the plugin to the handler of
 * troupe_probe_report_signals. Queues the signal to the calling thread as the kernel does for a fault. Returns 0 without such a handler.
 */
int troupe_probe_forwards(int signal);

/* Restores the default actions of these signals. */
void troupe_probe_reset_signals(void);

/*
 * Starts an executable, that of this process if the path is NULL, in a new process group, with default signal handlers and these
 * descriptors: 0 is /dev/null, 1 and 2 are output, 3 is channel, and from 4 on are the further ones, whose numbers are at least 4 and
 * ascend. Returns 0 and the process, or an errno. In C since posix_spawn_file_actions_addclosefrom_np is an extension of the C library.
 */
int troupe_probe_start(
  const char *executable, int channel, int output, const int32_t further[], size_t count, char *const arguments[],
  char *const environment[], pid_t *process);

/* The usage of a probe: of the watching process and its descendants. */
struct troupe_probe_usage {
  /* The processor time of these processes, in milliseconds. Decreases if one ends and no process waits for it. */
  uint64_t milliseconds;
  /* Whether a thread of the probe runs or is ready to run. */
  int32_t is_running;
};

/* Measures a probe by the number of its watching process. Lists /proc; takes about 10 µs for each process of the system. [any thread] */
struct troupe_probe_usage troupe_probe_usage(pid_t probe);

/* Returns the number of threads of a process, 0 for none. Takes 15 µs. [any thread] */
int32_t troupe_probe_threads(pid_t process);

/* Returns the name of a signal without SIG, such as SEGV, or NULL. In C since sigabbrev_np is an extension of the C library. */
const char *troupe_probe_signal_name(int signal);

/*
 * Reaps a child process as waitpid(2) does, or any child for -1, and stores its status unless the address is NULL. Returns its number, 0 if
 * none has ended and the options have WNOHANG, or -1 with errno, which is never EINTR. Uses waitid(2) where a filter around the
 * program denies wait4(2).
 */
pid_t troupe_probe_wait(pid_t process, int32_t *status, int32_t options);

/*
 * Sends a signal to the process of such a descriptor as troupe_probe_descriptor returns, and returns 0 or an errno. It never reaches another
 * process, also once the PID has another owner.
 */
int troupe_probe_signal(int process, int signal);

/* Returns true if the process of such a descriptor has ended. */
int troupe_probe_has_ended(int process);

/*
 * Returns a descriptor that becomes readable when a process ends, or -1; see pidfd_open(2). In C since Swift does not import variadic
 * functions such as syscall(2).
 */
int troupe_probe_descriptor(pid_t process);

/*
 * As troupe_probe_descriptor for a child of this process. Where a filter or an old kernel refuses pidfd_open(2), a thread waits for the
 * end of the child instead, and the descriptor is a pipe that closes then.
 */
int troupe_probe_end_descriptor(pid_t child);

/*
 * Returns the floating-point state of the calling thread as a number: rounding, exceptions that send signals, and flushing of subnormal
 * numbers to zero, which -ffast-math enables. In C since fegetexcept(3) is an extension of the C library.
 */
int troupe_probe_float_state(void);

/* Settings of a process and a thread, each of which needs a system call. */
struct troupe_probe_settings {
  int32_t policy, priority; /* the scheduling of the thread, see sched(7) */
  int32_t death_signal;     /* the parent-death signal */
  int32_t is_dumpable;
  int32_t personality;
};

/* Returns the settings of the calling thread. In C since Swift does not import prctl(2) and personality(2). */
struct troupe_probe_settings troupe_probe_settings(void);

/* Returns the environment, or NULL after clearenv(3). In C since Swift imports environ as never NULL. */
char **troupe_probe_environment(void);

#endif

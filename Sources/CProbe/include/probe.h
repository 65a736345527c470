/*
 * The parts of a probe's process that Swift cannot be: what runs before main, and what runs in a signal handler.
 */
#ifndef TROUPE_PROBE_H
#define TROUPE_PROBE_H

#include <stdint.h>
#include <sys/types.h>

/* The variable of the environment that makes a process a probe: the number of the descriptor on which it is told what to do. */
#define TROUPE_PROBE_VARIABLE "TROUPE_PROBE"

/*
 * The kinds of messages that a probe sends. A message is its length without these five bytes, as a uint32_t, its kind, and its
 * content, in the byte order of the machine.
 */
enum {
  TROUPE_PROBE_READY = 1,  /* nothing: it has begun */
  TROUPE_PROBE_STEP = 2,   /* a step of loading, see ProbeMessage.swift */
  TROUPE_PROBE_REPORT = 3, /* how it ended, see ProbeMessage.swift */
  TROUPE_PROBE_DONE = 4,   /* nothing: everything has been closed */
  TROUPE_PROBE_SIGNAL = 5, /* int32_t signal, int32_t cause, uint64_t instruction, uint32_t count, uint64_t frames[count] */
  TROUPE_PROBE_MAPS = 6,   /* a piece of /proc/self/maps, which follows the signal */
  TROUPE_PROBE_END = 7,    /* int32_t: the status of the process that the plugin ran in, as waitpid(2) gives it */
  TROUPE_PROBE_NOT_STARTED = 8 /* int32_t: the errno for which that process could not be started */
};

/* What a plugin was about to do that a probe refuses: the cause of a signal, 0 for one that the plugin caused by itself. */
enum {
  TROUPE_PROBE_SIGNALS_OTHERS = 1, /* it sends a signal to a process that is not its own */
  TROUPE_PROBE_ENDS_ITSELF = 2,    /* it sends its own process a signal such as SIGTERM */
  TROUPE_PROBE_TRACES = 3          /* it has itself traced, or traces others */
};

/* The status of a probe that cannot say anything any more. */
enum { TROUPE_PROBE_MUTE = 71 };

/*
 * Divides the calling process in two, as fork(2) does: one that watches and never returns from here, and one that does, in which the
 * plugin is to run. In C since Swift has no fork(2), for the good reason that nothing but this may be done with it.
 */
void troupe_probe_watch(int channel);

/*
 * Has the calling process be sent SIGSYS if it sends a signal to any other, one that would end it to itself, or calls ptrace(2);
 * 0, or -1 if the system has no way to do that. In C since the rules are a program of the kernel's own kind; see seccomp(2).
 */
int troupe_probe_refuse_signals_to_others(void);

/*
 * Has the signals that mean a crash, and SIGQUIT, tell where they came, on a descriptor, before they end the process. In C since a
 * handler may call nothing that allocates or locks.
 */
void troupe_probe_report_signals(int descriptor);

/* Has those signals end the process without a word from now on. */
void troupe_probe_ignore_signals(void);

/*
 * Starts this process's own executable in a process group of its own, with every signal as it is by default, and with no descriptor
 * but these: 0 leads to nowhere, 1 and 2 to output, 3 to channel. Gives 0 and the process, or an errno. In C since what closes all
 * other descriptors is a function that the C library shows only if it is asked for its extensions.
 */
int troupe_probe_start(int channel, int output, char *const arguments[], char *const environment[], pid_t *process);

/* The name of a signal without SIG, such as SEGV, or NULL. In C for the same reason. */
const char *troupe_probe_signal_name(int signal);

/*
 * A descriptor that becomes readable when a process ends, or -1; see pidfd_open(2). In C since the number of a system call is a
 * macro, and syscall(2) takes any number of arguments.
 */
int troupe_probe_descriptor(pid_t process);

/* Makes the calling process the parent of whatever its descendants leave behind; 0, or -1. In C as above. */
int troupe_probe_adopt_descendants(void);

/*
 * How the calling thread calculates with floating-point numbers: rounding, exceptions that are signals, and whether the smallest
 * numbers are taken for zero, as what was linked with -ffast-math has the processor do. Equal numbers are equal states. In C since
 * fegetexcept(3) is shown only to who asks for extensions.
 */
int troupe_probe_float_state(void);

/* The environment, or NULL once somebody has cleared it. In C since Swift takes it for one that is always there. */
char **troupe_probe_environment(void);

/* Whether a library is in memory. In C since RTLD_NOLOAD is a macro that Swift does not see everywhere. */
int troupe_probe_stays_open(const char *library);

#endif

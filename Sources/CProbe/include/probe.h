/*
 * The parts of a probe's process that Swift cannot be: what runs before main, and what runs in a signal handler.
 */
#ifndef TROUPE_PROBE_H
#define TROUPE_PROBE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The variable of the environment that makes a process a probe: the number of the descriptor on which it is told what to do. */
#define TROUPE_PROBE_VARIABLE "TROUPE_PROBE"

/*
 * What the host says first on the channel: these bytes, a key for the process that watches, one for the process in which the plugin
 * runs, and then its request.
 */
#define TROUPE_PROBE_GREETING "troupe 3"
enum { TROUPE_PROBE_GREETING_SIZE = 8, TROUPE_PROBE_KEY_SIZE = 16 };

/*
 * The kinds of messages that a probe sends. A message is the length of its content, as a uint32_t, its kind, the key of the process that
 * sends it, and its content, in the byte order of the machine.
 *
 * The key is what tells a message from what a plugin writes into a descriptor that is not its own, by mistake or by intent. It lies where
 * nothing can be read but while a message is sent, and a copy of the process that a plugin makes has none. More is not to be had within
 * one address space: a plugin that changes the protection of memory, or the code of the host, can say whatever it wants. A probe shows
 * what loading a plugin does; it does not make one safe that is up to something.
 */
enum {
  TROUPE_PROBE_READY = 1,  /* nothing: it has begun */
  TROUPE_PROBE_STEP = 2,   /* a step of loading, see ProbeMessage.swift */
  TROUPE_PROBE_REPORT = 3, /* how it ended, see ProbeMessage.swift */
  TROUPE_PROBE_DONE = 4,   /* nothing: everything has been closed */
  /* int32_t signal, int32_t cause, uint64_t instruction, uint32_t count, uint64_t frames[count]; again once more frames are known */
  TROUPE_PROBE_SIGNAL = 5,
  TROUPE_PROBE_MAPS = 6, /* a piece of /proc/self/maps, which follows the signal */
  /* From here on they are sent by the process that watches. */
  TROUPE_PROBE_END = 7,        /* struct troupe_probe_end */
  TROUPE_PROBE_NOT_STARTED = 8 /* int32_t: the errno for which the other process could not be started */
};

/* How the process in which the plugin ran came to its end. */
struct troupe_probe_end {
  int32_t status;  /* as waitpid(2) gives it */
  int32_t refused; /* what was refused it, or a process that it has started; 0 for nothing */
  int32_t is_mute; /* whether it could not say anything any more */
};

/* What a plugin was about to do that a probe refuses: the cause of a signal, 0 for one that the plugin caused by itself. */
enum {
  TROUPE_PROBE_SIGNALS_OTHERS = 1, /* it sends a signal to a process that is not its own, or has one sent */
  TROUPE_PROBE_ENDS_ITSELF = 2,    /* it sends its own process a signal such as SIGTERM */
  TROUPE_PROBE_TRACES = 3,         /* it has itself traced, or traces others */
  TROUPE_PROBE_CHANGES_OTHERS = 4, /* it reads or changes a process that is not its own */
  TROUPE_PROBE_FILTERS = 5,        /* it restricts what its process may ask of the kernel */
  TROUPE_PROBE_ADOPTS = 6,         /* it says which process gets the children of those that end */
  TROUPE_PROBE_LOCKS_MEMORY = 7,   /* it keeps all memory of the process from being swapped */
  TROUPE_PROBE_FOREIGN_CALL = 8,   /* it calls the kernel as programs for another machine do */
  TROUPE_PROBE_ENDS_WITH_PARENT = 9 /* it has its process be sent a signal when the parent ends */
};

/* The status of a process of a probe that cannot say anything any more. */
enum { TROUPE_PROBE_MUTE = 71 };

/*
 * Divides the calling process in two, as fork(2) does: one that watches and never returns from here, and one that does, in which the
 * plugin is to run. In C since Swift has no fork(2), for the good reason that nothing but this may be done with it.
 *
 * The one that returns, and whatever it starts, has the other one asked before it does what may be none of a plugin's business, such as
 * sending signals. Ends the process with a word on its standard error if channel is nothing that a host has handed over.
 */
void troupe_probe_watch(int channel);

/* Sends a message with the key of the process in which the plugin runs; whether that went well. On one thread at a time. */
int troupe_probe_send(int channel, uint8_t kind, const void *content, size_t count);

/* Ends the process in which the plugin runs, which cannot say anything any more, and has the other one say that. */
_Noreturn void troupe_probe_end_mute(void);

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

/* What a probe, which is a process and its descendants, uses of the machine. */
struct troupe_probe_usage {
  /* The processor time of the descendants, in milliseconds. Decreases if one ends and no process waits for it. */
  uint64_t milliseconds;
  /* Whether a thread of the probe runs or is ready to run. */
  int32_t is_running;
};

/* Measures a probe by the number of its watching process. Lists /proc; takes about 10 µs for each process of the system. [any thread] */
struct troupe_probe_usage troupe_probe_usage(pid_t probe);

/* The name of a signal without SIG, such as SEGV, or NULL. In C for the same reason. */
const char *troupe_probe_signal_name(int signal);

/*
 * A descriptor that becomes readable when a process ends, or -1; see pidfd_open(2). In C since the number of a system call is a
 * macro, and syscall(2) takes any number of arguments.
 */
int troupe_probe_descriptor(pid_t process);

/*
 * How the calling thread calculates with floating-point numbers: rounding, exceptions that are signals, and whether the smallest
 * numbers are taken for zero, as what was linked with -ffast-math has the processor do. Equal numbers are equal states. In C since
 * fegetexcept(3) is shown only to who asks for extensions.
 */
int troupe_probe_float_state(void);

/* What a process, and a thread of it, is set to, as far as one has to ask the kernel for each piece. */
struct troupe_probe_settings {
  int32_t policy, priority; /* how the thread is scheduled, see sched(7) */
  int32_t death_signal;     /* what is sent when the parent ends */
  int32_t is_dumpable;
  int32_t personality;
};

/* The settings of the calling thread. In C since prctl(2) and personality(2) are not shown to Swift. */
struct troupe_probe_settings troupe_probe_settings(void);

/* The environment, or NULL once somebody has cleared it. In C since Swift takes it for one that is always there. */
char **troupe_probe_environment(void);

/* Whether a library is in memory. In C since RTLD_NOLOAD is a macro that Swift does not see everywhere. */
int troupe_probe_stays_open(const char *library);

#endif

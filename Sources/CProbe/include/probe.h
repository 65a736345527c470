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
  TROUPE_PROBE_SIGNAL = 5, /* int32_t signal, uint64_t instruction, uint32_t count, uint64_t frames[count] */
  TROUPE_PROBE_MAPS = 6    /* a piece of /proc/self/maps, which follows the signal */
};

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

/* Has the calling process end when the thread that started it does; 0, or -1. In C since prctl(2) takes any number of arguments. */
int troupe_probe_end_with_parent(void);

/* Makes the calling process the parent of whatever its descendants leave behind; 0, or -1. In C as above. */
int troupe_probe_adopt_descendants(void);

#endif

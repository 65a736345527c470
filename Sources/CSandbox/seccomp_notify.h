/*
 * System calls about which the kernel asks the watching process.
 */
#ifndef TROUPE_SECCOMP_NOTIFY_H
#define TROUPE_SECCOMP_NOTIFY_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/* The signals that end a process and that other processes send as well. */
static const int troupe_ending_signals[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGPWR};

/* Commands of fcntl(2) and ioctl(2) that say who gets the signals of a descriptor, by the numbers that they have on every machine here. */
enum {
  TROUPE_SET_OWNER = 8,
  TROUPE_SET_OWNER_EX = 15,
  TROUPE_SET_OWNER_OF_FILE = 0x8901,
  TROUPE_SET_OWNER_OF_SOCKET = 0x8902
};

/*
 * Restricts system calls of the calling process and its descendants. Returns the descriptor on which the kernel asks the watching
 * process; -1 if the kernel cannot ask, and sends SIGSYS for the calls that are always refused. In C since a seccomp(2) filter is a
 * BPF program.
 */
int troupe_probe_filter_calls(void);

/*
 * Answers a question on such a descriptor. A refused call fails, and its thread receives SIGSYS. Returns the cause of the refusal, or
 * 0; -1 if no question can be read.
 *
 * watched: the process in which the plugin runs.
 */
int32_t troupe_probe_answer(int listener, pid_t watched);

#endif

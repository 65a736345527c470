/*
 * What is asked of the process that watches before the kernel does it.
 */
#ifndef TROUPE_ASKED_H
#define TROUPE_ASKED_H

#include <linux/audit.h>
#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/* The machine, as the kernel tells it of each call. */
#if defined(__x86_64__)
#define TROUPE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define TROUPE_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv)
#define TROUPE_ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

/* The signals that end a process, and that somebody else may just as well have sent. */
static const int troupe_ending_signals[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGPWR};

/* Commands of fcntl(2) and ioctl(2) that say who gets the signals of a descriptor, by the numbers that they have on every machine here. */
enum {
  TROUPE_SET_OWNER = 8,
  TROUPE_SET_OWNER_EX = 15,
  TROUPE_SET_OWNER_OF_FILE = 0x8901,
  TROUPE_SET_OWNER_OF_SOCKET = 0x8902
};

/*
 * Has the calling process, and whatever it starts, ask before calls that may be none of a plugin's business. Gives the descriptor on
 * which it is asked, which is for another process; -1 if nobody can be asked, and those calls, or those among them that are known to be
 * wrong, are answered with SIGSYS. In C since the rules are a program of the kernel's own kind; see seccomp(2).
 */
int troupe_probe_filter_calls(void);

/*
 * Answers what is asked on such a descriptor. What is refused fails, and its thread is sent SIGSYS. Gives the cause for which it
 * was refused, or 0.
 *
 * watched: the process in which the plugin runs.
 */
int32_t troupe_probe_answer(int listener, pid_t watched);

#endif

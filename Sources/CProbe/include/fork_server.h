/*
 * The fork server: a process that has libTroupe.so open and forks itself for each probe, since the start of a program with the Swift runtime
 * takes longer than most probes. The host starts it as it starts a probe, and greets it with another word:
 *
 *    host ──start, [channel, output]──► fork server ──fork──► watching process ──fork──► process of the plugin
 *         ◄────────────PID─────────────                             │
 *         ◄───────────────────────messages of the probe─────────────┘
 *         ──reap, PID──► ──wait──► status
 *
 * It has one thread and runs nothing but this loop, so that a fork copies no lock that another thread holds. It reaps a child only when the
 * host asks for it: until then the PID belongs to the child, also for the host.
 */
#ifndef TROUPE_FORK_SERVER_H
#define TROUPE_FORK_SERVER_H

#include <stdint.h>
#include <sys/types.h>

/* The first bytes on the channel of a fork server, of the size of TROUPE_PROBE_GREETING. */
#define TROUPE_FORK_SERVER_GREETING "fork   1"

/*
 * Serves a host until the channel closes, and ends the process then. Returns in each child, with the channel and the output of its probe in the
 * places of those of the server. Does not fork in a process with several threads: the host then gets EBUSY.
 */
void troupe_fork_server_run(int channel);

/*
 * Has the server start a child with a channel and an output, and stores its PID. Returns 0 or an errno: EPIPE if the server has ended or does
 * not answer. Blocks until the answer, for 10 seconds at most. [one thread at a time for each server]
 */
int troupe_fork_server_start(int server, int channel, int output, pid_t *child);

/* Has the server kill the group of a child and reap the child, and stores its status, as waitpid(2) does. Returns as troupe_fork_server_start. */
int troupe_fork_server_reap(int server, pid_t child, int32_t *status);

/* Sends a signal to a child by a descriptor of pidfd_open(2), which never means another process, also after the end of the server. */
void troupe_fork_server_signal(int child, int signal);

#endif

/*
 * The fork server: a process that has libTroupe.so open and forks itself once for each probe. The start of a program with the Swift runtime
 * takes longer than most probes.
 *
 * The host starts the server as it starts a probe, and sends it another greeting. Each child of the server is the watching process of a
 * probe, which forks the process that loads the plugin (see troupe_probe_watch):
 *
 *    host ──START, [channel, output]──► fork server ──fork──► watching process ──fork──► plugin's process
 *         ◄────────────PID─────────────                              │
 *         ◄────────────────messages of the probe─────────────────────┘
 *         ──REAP, PID─────────────────► fork server ──kill, wait──► watching process
 *         ◄────status of waitpid(2)────
 *
 * The server has one thread and runs nothing but its loop: a lock that another thread holds during a fork would stay locked in the child.
 * It reaps a child only when the host asks for it. Until then no other process can get the PID, so that the host may use it.
 */
#ifndef TROUPE_FORK_SERVER_H
#define TROUPE_FORK_SERVER_H

#include <stdint.h>
#include <sys/types.h>

/* The first bytes on the channel of a fork server. A probe gets TROUPE_PROBE_GREETING, which has the same size. */
#define TROUPE_FORK_SERVER_GREETING "fork   1"

/*
 * Serves a host until the channel closes, and then ends the process. Returns only in the children. There the descriptor of the channel,
 * standard output and standard error are those of the child's own probe. In a process with several threads, no request forks: the host gets
 * EBUSY.
 */
void troupe_fork_server_run(int channel);

/*
 * Has the server fork a child with a channel and an output, and stores its PID. `server` is the host's end of the server's channel. Returns
 * 0 or an errno: EPIPE if the server has ended or does not answer within 10 seconds, and after that.
 * [one thread at a time for each server]
 */
int troupe_fork_server_start(int server, int channel, int output, pid_t *child);

/*
 * Has the server kill the process group of a child and reap the child, and stores its status, as waitpid(2) does. Returns and blocks as
 * troupe_fork_server_start.
 */
int troupe_fork_server_reap(int server, pid_t child, int32_t *status);

#endif

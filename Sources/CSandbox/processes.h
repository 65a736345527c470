/*
 * The processes of the system, read from /proc.
 */
#ifndef TROUPE_PROCESSES_H
#define TROUPE_PROCESSES_H

#include <poll.h>
#include <sys/types.h>

/* A process, see proc_pid_stat(5). */
struct troupe_process {
  pid_t number, parent, group;
  int threads;
  /* The state of the main thread, such as R for one that runs or is ready to run. */
  char state;
  /* The processor time that it has used, and that of its children that it has waited for, in clock ticks. */
  unsigned long ticks, children_ticks;
  /* Whether it descends from the calling process. Set only by troupe_processes. */
  int is_descendant;
};

/* Reads a process or thread. Returns whether it exists. */
int troupe_process(pid_t number, struct troupe_process *process);

/*
 * Returns all processes sorted by number, at most 65,536. Owned by this function and valid until its next call. Not thread-safe.
 */
struct troupe_process *troupe_processes(size_t *count);

/* Returns the process of a thread, or 0. */
pid_t troupe_process_of_thread(pid_t thread);

/* Returns the process behind a pidfd of another process; 0 for an ended process, -1 for another descriptor. */
pid_t troupe_process_of_descriptor(pid_t owner, int descriptor);

/* Returns whether a process, or the process of a thread, descends from the calling one. */
int troupe_is_descendant(pid_t number);

/* As poll(2), with ppoll(2) where a filter denies that. */
int troupe_probe_poll(struct pollfd *events, nfds_t count, int milliseconds);

#endif

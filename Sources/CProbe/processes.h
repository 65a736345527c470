/*
 * What /proc tells of processes, for the process that watches.
 */
#ifndef TROUPE_PROCESSES_H
#define TROUPE_PROCESSES_H

#include <sys/types.h>

/* One process, as proc_pid_stat(5) has it. */
struct troupe_process {
  pid_t number, parent, group;
  int threads;
  /* The state of the main thread, such as R for one that runs or is ready to run. */
  char state;
  /* The processor time that it has used, and that of its children that it has waited for, in clock ticks. */
  unsigned long ticks, children_ticks;
  /* Whether it descends from the calling process; only troupe_processes finds that out. */
  int is_ours;
};

/* Looks at a process, or at that of a thread; whether it is there. */
int troupe_process(pid_t number, struct troupe_process *process);

/*
 * All processes, by their numbers, up to the most that are ever looked at. They belong to this function, and are there until it is
 * called again.
 */
struct troupe_process *troupe_processes(size_t *count);

/* The process that a thread belongs to, or 0. */
pid_t troupe_process_of_thread(pid_t thread);

/* The process that a descriptor of another process stands for, see pidfd_open(2); 0 for one that has ended, -1 if it is no such. */
pid_t troupe_process_of_descriptor(pid_t owner, int descriptor);

/* Whether a process, or that of a thread, descends from the calling one. */
int troupe_is_ours(pid_t number);

#endif

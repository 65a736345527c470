/*
 * What a fatal signal has interrupted: one report for the host, probes and workers, which differ in where they write it.
 *
 *    host     its own memory        another thread reads it, names the plugin, and ends the process
 *    probe    the channel           see TROUPE_PROBE_SIGNAL in probe.h
 *    worker   the shared memory     the host reads it after the end of the worker
 */
#ifndef TROUPE_CRASH_H
#define TROUPE_CRASH_H

#include <pthread.h>
#include <stdint.h>

#include "../../CLinux/include/guarded_memory.h"

enum { troupe_most_calls = 48 };

struct troupe_crash {
  int32_t signal;      /* 0 for none */
  int32_t cause;       /* why the watching process has refused a system call, see probe.h; 0 for another signal */
  int32_t system_call; /* the number of the call for which a filter sent SIGSYS; -1 for none */
  uint32_t call_count;
  uint64_t instruction; /* the address of the interrupted instruction; 0 on unknown machines */
  /* The memory behind which the instruction has reached, if a call allocated it for an argument; its position is 0 for none. */
  struct linux_guarded_argument argument;
  int32_t is_write; /* whether it wrote there; -1 if this is unknown, as on some machines */
  /* The return addresses of the interrupted calls with those of the handler, the innermost first. Complete last, or never. */
  uint64_t calls[troupe_most_calls];
};

/* Gives the calling thread a stack for the handlers, which need one if the thread's own is used up. Lives as long as the process. */
void troupe_crash_prepare_thread(void);

/* The host. */

/* The bytes that arrive at the descriptor of troupe_crash_catch. */
enum { TROUPE_CRASH_WAKE = 1, TROUPE_CRASH_SIGNAL = 2 };

/*
 * Installs handlers of the fatal signals that report to one of the program's threads, which can work as usual while the interrupted thread
 * waits. Returns a descriptor, or -1 with errno. TROUPE_CRASH_SIGNAL arrives there when a signal has come, and again after the calls are
 * known, which may never be. Only the first signal of the process is reported; its thread waits for ever, and so does each thread with a
 * further one.
 *
 * With `passes_on`, the handlers that the program had keep their work: the first thread waits for troupe_crash_pass_on only, and then calls
 * them. Signals that another process has sent go to them without a report, and the program goes on if they return.
 */
int troupe_crash_catch(int passes_on);

/* Has the interrupted thread call the handler that the program had for its signal, which ends the process, or end it as the signal does. */
void troupe_crash_pass_on(void);

/*
 * Adds a number that becomes zero if another process or the terminal ends this process by a signal after troupe_crash_catch, up to 16. With
 * `passes_on`, only by a fatal signal: SIGINT, SIGTERM and the like stay the program's own. Remove it before its memory ends.
 */
void troupe_crash_add_marks(uint64_t *length);
void troupe_crash_remove_marks(uint64_t *length);

/* Whether a descriptor belongs to the pipe of troupe_crash_catch. Foreign code may have closed it and opened another file. */
int troupe_crash_is_own(int descriptor);

/*
 * Restores the handlers that the program had before troupe_crash_catch with `passes_on`, else the default ones, and closes the descriptor of
 * troupe_crash_catch.
 */
void troupe_crash_release(int descriptor);

/* Notes that the process exits with a status, and sends TROUPE_CRASH_WAKE to the descriptor. */
void troupe_crash_begin_exit(int32_t status);

/* Returns the first signal. Valid after the first TROUPE_CRASH_SIGNAL has arrived; the calls are complete after the second. */
const struct troupe_crash *troupe_crash_report(void);

/* Reports the calls of a thread as if it had crashed with SIGQUIT. */
void troupe_crash_interrupt(pthread_t thread);

/* Ends the process by a signal. */
_Noreturn void troupe_crash_end(int32_t signal);

/* Ends the process with a status after some seconds, unless it ends before. For a broken process, in which any call may hang. */
void troupe_crash_end_within(unsigned seconds, int32_t status);

/* Workers. */

/* Installs handlers that write the first fatal signal of the process into memory, a struct troupe_crash, and end the process. */
void troupe_crash_write_to(void *memory);

/* Copies a report from memory that a worker may still change. */
struct troupe_crash troupe_crash_read(const void *memory);

#endif

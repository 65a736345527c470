/* Dispatch in a process that cannot open the directories of all processes. */
#ifndef TROUPE_DISPATCH_THREADS_H
#define TROUPE_DISPATCH_THREADS_H

/*
 * Lets Dispatch read the state of its threads.
 *
 * Every second Dispatch reads /proc/TID/stat for each of its threads, and ends the process if it cannot. A worker may open its own directory
 * only, in which the same file is /proc/self/task/TID/stat. This function replaces the address of open(2) in libdispatch.so, for the calls of
 * that library alone. It does nothing in a program that is linked with Dispatch statically. Call it while the process has one thread.
 */
void troupe_redirect_dispatch(void);

#endif

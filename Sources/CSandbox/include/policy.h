/*
 * Restricts the calling process before it loads a plugin, so that the plugin's code can do no more than compute, read its libraries and use
 * the paths that the host grants. In C since the calls are Linux's own, and run before main in a process with one thread.
 */
#ifndef TROUPE_POLICY_H
#define TROUPE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The layers of the protection. Each holds without the others. */
enum {
  TROUPE_LAYER_PRIVILEGES = 1, /* no capabilities but for files, none for programs that it starts (PR_SET_NO_NEW_PRIVS) */
  TROUPE_LAYER_CALLS = 2,      /* a filter of system calls: no network, no program, no other process (seccomp(2)) */
  TROUPE_LAYER_FILES = 4,      /* no files but the granted ones (landlock(7)) */
  TROUPE_LAYER_NETWORK = 8,    /* a network of its own, without an interface (network_namespaces(7)) */
  TROUPE_LAYER_LIMITS = 16     /* memory, processor time, descriptors, size of files (setrlimit(2)) */
};

struct troupe_policy {
  /* Descriptors, possibly of O_PATH, of files and of directories with their content. */
  const int32_t *readable;
  size_t readable_count;
  /* Also readable; files in these directories can be created, renamed and removed. */
  const int32_t *writable;
  size_t writable_count;
  uint64_t memory;         /* the address space in bytes; 0 for no limit */
  uint64_t processor_time; /* in seconds, after which the process ends; 0 for no limit */
  uint64_t descriptors;    /* the number of descriptors; 0 for no limit */
  /* The number of threads; 0 for no limit. It needs a user namespace of the process's own, and holds for ordinary users only. */
  uint64_t threads;
  uint64_t file_size;      /* the largest size of a written file in bytes; 0 for no limit */
  const int32_t *calls;    /* the numbers of system calls that the filter allows besides its own */
  size_t call_count;
  uint32_t layers;         /* the layers to use */
};

/*
 * Applies a policy to the process, which has one thread. It and its descendants cannot undo that. Returns the layers that are in force; a
 * layer that the kernel does not have is not among them. The descriptors stay open: the caller closes them.
 *
 * A refused system call fails with an error number, as in a container; the kernel does not run it. One that has no use but attack sends
 * SIGSYS with its number in si_syscall instead. See system_calls.c.
 */
uint32_t troupe_policy_apply(const struct troupe_policy *policy);

/*
 * Lets Dispatch read the state of its threads.
 *
 * Every second Dispatch reads /proc/TID/stat for each of its threads, and ends the process if it cannot. A worker may open its own directory
 * only, in which the same file is /proc/self/task/TID/stat. This function replaces the address of open(2) in libdispatch.so, for the calls of
 * that library alone. It does nothing in a program that is linked with Dispatch statically. Call it while the process has one thread.
 */
void troupe_redirect_dispatch(void);

/* Returns true on the first thread of the process, which alone may run the main queue of Dispatch. */
bool troupe_is_main_thread(void);

#endif

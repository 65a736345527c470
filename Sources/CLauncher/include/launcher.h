/*
 * The code that the launchers share: small programs that open libTroupe.so and call one of its functions.
 *
 * Host and plugins must share one copy of Troupe's types, and Swift does not merge the copies of an executable with those of a library.
 * So everything is in libTroupe.so, which plugins link too.
 */
#ifndef TROUPE_LAUNCHER_H
#define TROUPE_LAUNCHER_H

/* From sysexits.h: a wrong command line, an internal software error, and a missing resource of the system. */
enum { usage_error = 64, software_error = 70, system_error = 71 };

/*
 * Opens /dev/null for each closed standard stream, so that no later file gets its descriptor and its output. Reading from standard
 * input and writing to the others stay errors.
 */
void reserve_standard_descriptors(void);

/* What a process does that a host has started: see TROUPE_PROBE_VARIABLE in probe.h. */
struct role {
  const char *name, *function;
  /* When the loader binds the symbols of the library: RTLD_LAZY or RTLD_NOW. */
  int binding;
};

/*
 * Returns the role that a host gives this process in the environment variable TROUPE_PROBE, and stores the descriptor of the channel; NULL
 * for a process that a user started. Takes the role out of the variable, so that the library does not begin it in its constructor, while
 * the loader holds its lock.
 */
const struct role *take_role(int *channel);

/* If the error number says that a sandbox denies a system call, EPERM or ENOSYS, prints that and returns 1. Else returns 0. */
int report_denied_syscall(const char *program, const char *call, int error);

/*
 * Opens libTroupe.so and returns the address of one of its functions. The library is in the directory of the running executable or, for an
 * installed program, in a directory relative to that one. Ends the process with a message that begins with the program's name if there is no
 * such library or function.
 *
 * binding: RTLD_LAZY, since most processes call few functions and resolving all takes a millisecond; or RTLD_NOW.
 */
void *load_library_function(const char *program, const char *installed, int binding, const char *function);

#endif

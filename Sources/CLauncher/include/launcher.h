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

/*
 * Returns the channel that a host passes in an environment variable, or -1 for a process that a user started. Removes the variable, so
 * that the library does not begin a probe in its constructor, while the loader holds its lock.
 */
int take_channel(const char *variable);

/* If the error number says that a sandbox denies a system call, EPERM or ENOSYS, prints that and returns 1. Else returns 0. */
int report_denied_syscall(const char *program, const char *call, int error);

/*
 * Opens libTroupe.so and returns the address of one of its functions. The library is in the directory of the running executable or, for an
 * installed program, in a directory relative to that one. Ends the process with a message that begins with the program's name if there is no
 * such library or function.
 */
void *load_library_function(const char *program, const char *installed, const char *function);

#endif

/* The command `troupe`: opens libTroupe.so and calls its main function. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "launcher.h"

/* The descriptors, and the bytes of address space and of data, that the command needs for itself and a probe. With less data the Swift
 * runtime waits without end for a thread that it cannot start. */
enum { needed_descriptors = 24, needed_address_space = 160 << 20, needed_data = 48 << 20 };

/* The threads besides the first one, without which Dispatch waits without end. */
enum { needed_threads = 3 };

/* Returns whether the process may use enough memory by one of its limits. Prints a message if not. */
static int has_memory(int resource, rlim_t needed, const char *name, const char *option) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= needed) return 1;
  fprintf(stderr, "troupe: the limit of %s is %llu KiB, and %llu are needed; raise it with ulimit %s\n", name,
          (unsigned long long)limit.rlim_cur >> 10, (unsigned long long)needed >> 10, option);
  return 0;
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *pass_gate(void *unused) {
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  return unused;
}

/* Returns whether the process can have enough threads at the same time. Prints a message if not. */
static int has_threads(void) {
  pthread_t threads[needed_threads];
  int count = 0, code = 0;
  pthread_mutex_lock(&gate);
  while (count < needed_threads && (code = pthread_create(&threads[count], NULL, pass_gate, NULL)) == 0) count++;
  pthread_mutex_unlock(&gate);
  for (int index = 0; index < count; index++) pthread_join(threads[index], NULL);
  if (count == needed_threads) return 1;
  /* The C library makes clone instead of clone3 only if that does not exist. */
  if (report_denied_syscall("troupe", code == EPERM ? "clone3" : "clone", code)) return 0;
  fprintf(stderr, "troupe: only %d more threads can be started, and %d are needed (%s); raise the limit with ulimit -u\n", count,
          needed_threads, strerror(code));
  return 0;
}

/*
 * Returns whether the limits of the process suffice for the Swift runtime and probes, which otherwise crash or hang, and whether
 * /dev/null can be opened. Prints a message if not.
 */
static int has_resources(void) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) {
    fprintf(stderr, "troupe: /dev/null cannot be opened; create it with mknod -m 666 /dev/null c 1 3\n");
    return 0;
  }
  close(null);
  if (!has_memory(RLIMIT_AS, needed_address_space, "the address space", "-v") ||
      !has_memory(RLIMIT_DATA, needed_data, "data", "-d")) {
    return 0;
  }
  int descriptors[needed_descriptors], count = 0;
  while (count < needed_descriptors && (descriptors[count] = dup(STDERR_FILENO)) >= 0) count++;
  int error = errno;
  for (int index = 0; index < count; index++) close(descriptors[index]);
  if (count == needed_descriptors) return has_threads();
  if (report_denied_syscall("troupe", "dup", error)) return 0;
  fprintf(stderr, "troupe: only %d more files can be opened, and %d are needed; raise the limit with ulimit -n\n", count,
          needed_descriptors);
  return 0;
}

int main(int argument_count, char **arguments) {
  int channel = -1;
  const struct role *role = take_role(&channel);
  reserve_standard_descriptors();
  if (!role && !has_resources()) return system_error;
  void *function = load_library_function(
    "troupe", "../lib", role ? role->binding : RTLD_LAZY, role ? role->function : "troupe_command_main");

  /* Converts an object pointer to a function pointer, as POSIX describes for dlsym. */
  if (role) {
    void (*run_role)(int);
    *(void **)&run_role = function;
    run_role(channel);
    return software_error;
  }
  int (*run)(int, char **);
  *(void **)&run = function;
  return run(argument_count, arguments);
}

/* A plugin that passes its probe. Its functions crash or close descriptors, or it crashes or hangs when the process exits after a call of
 * `at_exit`. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.crashing", "Crashing", "1.0.0")

static int (*volatile nowhere)(void);
static volatile int *volatile address = (volatile int *)8;

__attribute__((noinline)) static int write_nowhere(void) {
  *address = 1;
  return 1;
}

static int segfault(void) { return write_nowhere() + 1; }
static int jump(void) { return nowhere() + 1; }
static int stop(void) { abort(); }
static int overflow(int depth) {
  volatile char room[4096];
  room[0] = (char)depth;
  return overflow(depth + 1) + room[0];
}

static void crash_at_exit(void) { write_nowhere(); }
static void hang_at_exit(void) {
  for (;;) {
  }
}
static void wait_at_exit(void) {
  for (;;) pause();
}
static void block_signals_at_exit(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  hang_at_exit();
}

static int close_all_and_crash(void) {
  for (int descriptor = 0; descriptor < 1024; descriptor++) close(descriptor);
  return write_nowhere();
}

static int end_process(int status) { exit(status); }

/* Returns twice: also in a process that it forks. */
static int fork_process(void) { return fork() >= 0; }

static int create_file_and_wait(const char *path) {
  int descriptor = creat(path, 0600);
  while (descriptor >= 0) pause();
  return descriptor;
}

/* Returns the milliseconds of processor time that the process uses while this thread waits for 300 ms. */
static int time_of_wait(void) {
  clock_t begin = clock();
  nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
  return (int)((clock() - begin) * 1000 / CLOCKS_PER_SEC);
}

static int is_pipe(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode);
}

/* Closes all pipes except those of the standard streams. */
static int close_pipes(void) {
  for (int descriptor = 3; descriptor < 256; descriptor++) {
    if (is_pipe(descriptor)) close(descriptor);
  }
  return time_of_wait();
}

/* Replaces each pipe except those of the standard streams by a file that is always readable. */
static int replace_pipes(void) {
  int file = open("/dev/zero", O_RDONLY);
  for (int descriptor = 3; descriptor < 256; descriptor++) {
    if (is_pipe(descriptor)) dup2(file, descriptor);
  }
  return time_of_wait();
}

/* Chooses what happens when the process exits. */
static int at_exit(const char *what) {
  if (strcmp(what, "crash") == 0) return atexit(crash_at_exit);
  if (strcmp(what, "hang") == 0) return atexit(hang_at_exit);
  if (strcmp(what, "wait") == 0) return atexit(wait_at_exit);
  if (strcmp(what, "block") == 0) return atexit(block_signals_at_exit);
  return -1;
}

static const char *const tags[] = {"crashing"};
static const troupe_factory factories[] = {
  TROUPE_FACTORY("c4a50000-0000-4000-8000-000000000001", "segfault", tags, int, segfault, (void)),
  TROUPE_FACTORY("c4a50000-0000-4000-8000-000000000002", "jump", tags, int, jump, (void)),
  TROUPE_FACTORY("c4a50000-0000-4000-8000-000000000003", "stop", tags, int, stop, (void)),
  TROUPE_FACTORY("c4a50000-0000-4000-8000-000000000004", "overflow", tags, int, overflow, (int depth)),
  TROUPE_FACTORY("c4a50000-0000-4000-8000-000000000005", "at_exit", tags, int, at_exit, (const char *what)),
  TROUPE_FACTORY("c4a50000-0000-4000-8000-000000000006", "close_pipes", tags, int, close_pipes, (void)),
  TROUPE_FACTORY("c4a50000-0000-4000-8000-000000000007", "close_all_and_crash", tags, int, close_all_and_crash, (void)),
  TROUPE_FACTORY("c4a50000-0000-4000-8000-000000000008", "end_process", tags, int, end_process, (int status)),
  TROUPE_FACTORY("c4a50000-0000-4000-8000-000000000009", "fork_process", tags, int, fork_process, (void)),
  TROUPE_FACTORY("c4a50000-0000-4000-8000-00000000000a", "create_file_and_wait", tags, int, create_file_and_wait,
                 (const char *path)),
  TROUPE_FACTORY("c4a50000-0000-4000-8000-00000000000b", "replace_pipes", tags, int, replace_pipes, (void)),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  for (size_t index = 0; index < sizeof factories / sizeof *factories; index++) {
    troupe_status status = registrar->register_factory(registrar, &factories[index]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

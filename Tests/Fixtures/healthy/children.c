/*
 * A plugin whose entry uses its own processes and threads in all allowed ways: it sends them signals, changes them, and lets them
 * end in all ways. Fails if one of these fails.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.children", "Children", "1.0.0")

/* Whether a child that performs an action and then waits is ended by a signal. */
static int ends_by(pid_t child, int signal) {
  int status;
  return waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

static pid_t start(void (*work)(void)) {
  pid_t child = fork();
  if (child != 0) return child;
  setpgid(0, 0);
  work();
  for (;;) pause();
}

static void wait_for_signal(void) {}

static void end_itself(void) { kill(getpid(), SIGTERM); }

static void end_group(void) { kill(0, SIGKILL); }

/* Run by a child, because the changes affect more than the plugin. */
static void change_itself(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_SECCOMP, 1);
  syscall(SYS_exit, 9);
}

static int all_signals_work(void) {
  pid_t child = start(wait_for_signal);
  struct rlimit limit = {0, 0};
  if (prlimit(child, RLIMIT_CORE, &limit, NULL) != 0 || setpriority(PRIO_PROCESS, (id_t)child, 3) != 0) return 0;
  if (kill(child, 0) != 0 || kill(child, SIGTERM) != 0 || !ends_by(child, SIGTERM)) return 0;
  child = start(wait_for_signal);
  if (sigqueue(child, SIGKILL, (union sigval){0}) != 0 || !ends_by(child, SIGKILL)) return 0;
  child = start(wait_for_signal);
  setpgid(child, child);
  if (kill(-child, SIGHUP) != 0 || !ends_by(child, SIGHUP)) return 0;
  child = start(wait_for_signal);
  int descriptor = (int)syscall(SYS_pidfd_open, child, 0);
  if (syscall(SYS_pidfd_send_signal, descriptor, SIGINT, NULL, 0) != 0 || !ends_by(child, SIGINT)) return 0;
  close(descriptor);
  if (!ends_by(start(abort), SIGABRT) || !ends_by(start(end_itself), SIGTERM) || !ends_by(start(end_group), SIGKILL)) return 0;
  int status;
  child = start(change_itself);
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 9;
}

static void *work(void *unused) { return unused; }

static int threads_work(void) {
  pthread_t thread;
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof processors, &processors) != 0 || pthread_create(&thread, NULL, work, NULL) != 0) return 0;
  /* The thread may have ended, but exists until it is joined. */
  int code = pthread_kill(thread, SIGCONT);
  return (code == 0 || code == ESRCH) && pthread_join(thread, NULL) == 0 && raise(SIGCONT) == 0;
}

static int own_files_work(void) {
  int ends[2];
  if (pipe(ends) != 0 || fcntl(ends[0], F_SETOWN, getpid()) != 0) return 0;
  close(ends[0]);
  close(ends[1]);
  return 1;
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  if (!all_signals_work() || !threads_work() || !own_files_work()) return TROUPE_FAILED;
  return system("sleep 60 & kill $!; wait $! 2>/dev/null; true") == 0 ? TROUPE_OK : TROUPE_FAILED;
}

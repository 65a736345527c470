/* The end of a process: waiting for it, and signals that reach no other process. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"
#include "processes.h"

pid_t troupe_probe_wait(pid_t process, int32_t *status, int32_t options) {
  pid_t ended;
  int own;
  do ended = waitpid(process, &own, options);
  while (ended < 0 && errno == EINTR);
  if (ended < 0 && errno != ECHILD) {
    siginfo_t information = {.si_pid = 0};
    int result;
    do result = waitid(process < 0 ? P_ALL : P_PID, (id_t)process, &information, WEXITED | options);
    while (result != 0 && errno == EINTR);
    ended = result == 0 ? information.si_pid : -1;
    own = information.si_code == CLD_EXITED ? W_EXITCODE(information.si_status, 0) : information.si_status;
  }
  if (ended > 0 && status) *status = own;
  return ended;
}

int troupe_probe_poll(struct pollfd *events, nfds_t count, int milliseconds) {
  int found = poll(events, count, milliseconds);
  if (found >= 0 || errno == EINTR) return found;
  struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
  return ppoll(events, count, milliseconds < 0 ? NULL : &time, NULL);
}

int troupe_probe_has_ended(int process) {
  struct pollfd event = {.fd = process, .events = POLLIN};
  return troupe_probe_poll(&event, 1, 0) > 0;
}

int troupe_probe_signal(int process, int signal) {
  return syscall(SYS_pidfd_send_signal, process, signal, NULL, 0) == 0 ? 0 : errno;
}

int troupe_probe_descriptor(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

/* A child, and the end of a pipe that closes after it. */
struct awaited {
  pid_t child;
  int descriptor;
};

static void *await(void *argument) {
  struct awaited awaited = *(struct awaited *)argument;
  free(argument);
  siginfo_t information;
  /* Leaves the status to the owner of the child. Another part of this program may have taken it already. */
  while (waitid(P_PID, (id_t)awaited.child, &information, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  close(awaited.descriptor);
  return NULL;
}

/* Starts a thread that handles no signals of the program. Returns an error number. */
static int start(struct awaited *awaited) {
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all, old;
  int code = pthread_attr_init(&attributes);
  if (code != 0) return code;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + (64 << 10));
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  code = pthread_create(&thread, &attributes, await, awaited);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  return code;
}

int troupe_probe_end_descriptor(pid_t child) {
  int descriptor = troupe_probe_descriptor(child);
  if (descriptor >= 0 || (errno != EPERM && errno != ENOSYS)) return descriptor;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  struct awaited *awaited = malloc(sizeof *awaited);
  int code = ENOMEM;
  if (awaited) {
    *awaited = (struct awaited){child, ends[1]};
    code = start(awaited);
  }
  if (code == 0) return ends[0];
  free(awaited);
  close(ends[0]);
  close(ends[1]);
  errno = code;
  return -1;
}

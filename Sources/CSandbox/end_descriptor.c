#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"

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

#define _GNU_SOURCE
#include "probe.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * A probe is two processes. The one that the host started watches; the plugin runs in the other one, in a process group of its own.
 * Whatever that one does to its parent, its group or itself, there is somebody left who knows how it ended, and who ends what it has
 * left behind: a daemon, which belongs to no group and outlives its parents, comes to the watching process, since that has asked for it.
 */

static volatile pid_t watched;

static void ask(int signal) {
  int code = errno;
  kill(watched, signal == SIGQUIT ? SIGQUIT : SIGKILL);
  errno = code;
}

static void listen_to(int signal) {
  struct sigaction action = {.sa_handler = ask};
  sigaction(signal, &action, NULL);
}

/* The process that started another one, or 0 if it is not there any more. */
static pid_t parent_of(const char *process) {
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%.16s/stat", process);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  size_t count = fread(line, 1, sizeof line - 1, file);
  fclose(file);
  line[count] = 0;
  /* The name of the program, in parentheses, may have any characters. */
  const char *rest = strrchr(line, ')');
  int parent = 0;
  return rest && sscanf(rest, ") %*c %d", &parent) == 1 ? parent : 0;
}

static void end_children(void) {
  DIR *processes = opendir("/proc");
  if (!processes) return;
  for (struct dirent *entry; (entry = readdir(processes));) {
    if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == getpid()) kill(atoi(entry->d_name), SIGKILL);
  }
  closedir(processes);
}

/* Ends every descendant; those of the children that are ended become children. */
static void end_descendants(void) {
  for (;;) {
    pid_t ended = waitpid(-1, NULL, WNOHANG);
    if (ended < 0) return;
    if (ended > 0) continue;
    end_children();
    if (waitpid(-1, NULL, 0) < 0 && errno != EINTR) return;
  }
}

static int tell_host(int channel, uint8_t kind, int32_t number) {
  char message[9];
  uint32_t count = sizeof number;
  memcpy(message, &count, 4);
  message[4] = (char)kind;
  memcpy(message + 5, &number, 4);
  return send(channel, message, sizeof message, MSG_NOSIGNAL) == sizeof message;
}

/* Waits for the end of the watched process, and ends it once the host is gone, or somebody has shut the channel. Gives its status. */
static int wait_for_watched(int channel) {
  int end = troupe_probe_descriptor(watched);
  struct pollfd events[] = {{.fd = channel}, {.fd = end, .events = POLLIN}};
  for (;;) {
    int status;
    pid_t ended = waitpid(watched, &status, end < 0 ? 0 : WNOHANG);
    if (ended == watched) {
      if (end >= 0) close(end);
      return status;
    }
    if (end >= 0) poll(events, 2, -1);
    if (events[0].revents & (POLLHUP | POLLERR)) {
      kill(watched, SIGKILL);
      events[0].fd = -1;
    }
  }
}

void troupe_probe_watch(int channel) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t every, before;
  sigfillset(&every);
  sigprocmask(SIG_SETMASK, &every, &before);
  pid_t self = getpid();
  watched = fork();
  if (watched == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* It may have gone before that. */
    if (getppid() != self) _exit(TROUPE_PROBE_MUTE);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return;
  }
  if (watched < 0) {
    tell_host(channel, TROUPE_PROBE_NOT_STARTED, errno);
    _exit(0);
  }
  setpgid(watched, watched);
  listen_to(SIGQUIT);
  listen_to(SIGTERM);
  sigprocmask(SIG_SETMASK, &before, NULL);
  int status = wait_for_watched(channel);
  /* From here on a signal has nobody to be passed on to, whose number may be another process's by now. */
  signal(SIGQUIT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  end_descendants();
  _exit(tell_host(channel, TROUPE_PROBE_END, status) ? 0 : TROUPE_PROBE_MUTE);
}

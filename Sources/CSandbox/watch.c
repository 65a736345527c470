#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"
#include "processes.h"
#include "report_socket.h"
#include "seccomp_notify.h"

/*
 * A probe consists of two processes. The host starts the watching process; the plugin runs in a child of it, in a process group
 * of its own. The watching process reports the end of the plugin's process, also if the plugin harms its parent, its group or
 * itself. It answers the kernel about restricted system calls, and ends every descendant. As a child subreaper it also becomes
 * the parent of daemons.
 */

/* The PID of the plugin's process; 0 once it is reaped, since the PID may then be reused. */
static volatile pid_t watched;

static void forward_signal(int signal) {
  int code = errno;
  if (watched > 0) kill(watched, signal == SIGQUIT ? SIGQUIT : SIGKILL);
  errno = code;
}

/* Reaps the watched process if it has ended. Returns its PID, 0, or -1 with errno. No signal is forwarded between the wait and the 0. */
static pid_t reap_watched(int32_t *status) {
  sigset_t forwarded, before;
  sigemptyset(&forwarded);
  sigaddset(&forwarded, SIGQUIT);
  sigaddset(&forwarded, SIGTERM);
  sigprocmask(SIG_BLOCK, &forwarded, &before);
  pid_t ended = troupe_probe_wait(watched, status, WNOHANG);
  int code = errno;
  if (ended > 0) watched = 0;
  sigprocmask(SIG_SETMASK, &before, NULL);
  errno = code;
  return ended;
}

static void install_handler(int signal) {
  struct sigaction action = {.sa_handler = forward_signal};
  sigaction(signal, &action, NULL);
}

/* Sends a signal to every descendant. Returns their number. */
static size_t signal_descendants(int signal) {
  size_t count, found = 0;
  const struct troupe_process *all = troupe_processes(&count);
  for (size_t index = 0; index < count; index++) {
    if (all[index].is_descendant && kill(all[index].number, signal) == 0) found++;
  }
  return found;
}

/* Returns true if the group consists of descendants only, so that a signal to it reaches no other process. */
static int is_group_ours(const struct troupe_process *all, size_t count, pid_t group) {
  for (size_t index = 0; index < count; index++) {
    if (all[index].group == group && !all[index].is_descendant) return 0;
  }
  return group > 1 && group != getpgrp();
}

/*
 * Kills the process groups of descendants. A chain of processes, each of which starts the next one and ends, is never complete
 * in a list, but stays in its group.
 */
static void end_groups(void) {
  size_t count;
  const struct troupe_process *all = troupe_processes(&count);
  pid_t last = 0;
  for (size_t index = 0; index < count; index++) {
    pid_t group = all[index].group;
    if (!all[index].is_descendant || group == last) continue;
    last = group;
    if (is_group_ours(all, count, group)) kill(-group, SIGKILL);
  }
}

/*
 * Kills every descendant. Stops them first, in rounds until their number no longer grows, since a descendant that still runs
 * may start others. Where the kernel asks this process before fork(2), no descendant starts another one, since nobody answers.
 */
static void end_descendants(void) {
  enum { most_rounds = 16 };
  for (;;) {
    pid_t ended;
    while ((ended = troupe_probe_wait(-1, NULL, WNOHANG)) > 0) {
    }
    if (ended < 0 && errno == ECHILD) return;
    size_t before = 0, now = signal_descendants(SIGSTOP);
    for (int round = 0; round < most_rounds && now > before; round++) {
      before = now;
      now = signal_descendants(SIGSTOP);
    }
    end_groups();
    /* A filter around the host may deny kill(2) or wait4(2). The loop would then never end. */
    if (signal_descendants(SIGKILL) == 0 || ended < 0) return;
    usleep(1000);
  }
}

enum { software_error = 70 };

/* Ends the process because a filter around the host denies a system call. The kernel then ends the plugin's process, too. */
static _Noreturn void give_up(int channel, const char *call) {
  struct {
    uint32_t length;
    char name[16];
  } content = {.length = (uint32_t)strlen(call)};
  memcpy(content.name, call, content.length);
  troupe_report_socket_send(channel, TROUPE_PROBE_NOT_WATCHED, &content, sizeof content.length + content.length);
  if (watched > 0) kill(watched, SIGKILL);
  _exit(software_error);
}

static int wait_for_events(int channel, struct pollfd *events, nfds_t count, int milliseconds) {
  int found = troupe_probe_poll(events, count, milliseconds);
  if (found < 0 && errno != EINTR) give_up(channel, "poll");
  return found;
}

/*
 * Waits until the watched process ends, and answers the kernel meanwhile. Kills the process if the host ends or shuts the
 * channel down.
 */
static struct troupe_probe_end wait_for_watched(int channel, int listener) {
  int end = troupe_probe_descriptor(watched);
  struct pollfd events[] = {{.fd = channel}, {.fd = end, .events = POLLIN}, {.fd = listener, .events = POLLIN}};
  struct troupe_probe_end result = {0};
  for (pid_t ended; (ended = reap_watched(&result.status)) <= 0;) {
    if (ended < 0) give_up(channel, "wait4");
    /* Without pidfd_open(2), before Linux 5.3, nothing reports the end of the process, so it looks every 10 ms. */
    if (wait_for_events(channel, events, 3, end < 0 ? 10 : -1) <= 0) continue;
    if (events[2].revents & POLLIN) {
      int32_t cause = troupe_probe_answer(listener, watched);
      if (cause < 0) give_up(channel, "ioctl");
      if (!result.refused) result.refused = cause;
    } else if (events[2].revents) {
      events[2].fd = -1;
    }
    if (events[0].revents & (POLLHUP | POLLERR)) {
      if (kill(watched, SIGKILL) != 0) give_up(channel, "kill");
      events[0].fd = -1;
    }
  }
  if (end >= 0) close(end);
  result.lost_channel = troupe_report_socket_is_lost();
  return result;
}

static void send_fd(int channel, int socket, int descriptor) {
  char byte = 0;
  if (!troupe_send_descriptors(socket, &byte, sizeof byte, &descriptor, 1)) give_up(channel, "sendmsg");
}

/* Receives a descriptor from a socket; -1 if the other end has sent none. A message that has lost its descriptor is an error. */
static int recv_fd(int channel, int socket) {
  char byte;
  int descriptor;
  int result = troupe_receive_descriptors(socket, &byte, sizeof byte, &descriptor, 1);
  if (result < 0 || (result > 0 && descriptor < 0)) give_up(channel, "recvmsg");
  return descriptor;
}

/* Prepares the process for a plugin. */
static void setup_child(int channel, int socket) {
  setpgid(0, 0);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(channel, "prctl");
  /* Orphans become its children, so that the check for left processes finds them. */
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  /* Without seccomp the probe does not restrict system calls. */
  int listener = troupe_probe_filter_calls();
  if (listener >= 0) {
    send_fd(channel, socket, listener);
    close(listener);
  }
  close(socket);
  troupe_report_socket_divide(1);
}

static _Noreturn void die(int channel) {
  dprintf(
      STDERR_FILENO,
      "the environment requests a probe of a plugin, and no host sends a request on descriptor %d; "
      "unset " TROUPE_PROBE_VARIABLE "\n",
      channel);
  _exit(software_error);
}

void troupe_probe_watch(int channel) {
  if (!troupe_report_socket_open(channel)) die(channel);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t every, before;
  sigfillset(&every);
  sigprocmask(SIG_SETMASK, &every, &before);
  pid_t self = getpid();
  int sockets[2];
  watched = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0 ? fork() : -1;
  if (watched == 0) {
    close(sockets[0]);
    setup_child(channel, sockets[1]);
    /* The parent may have ended before. */
    if (getppid() != self) _exit(TROUPE_PROBE_LOST_CHANNEL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return;
  }
  if (watched < 0) {
    int32_t code = errno;
    troupe_report_socket_send(channel, TROUPE_PROBE_NOT_STARTED, &code, sizeof code);
    _exit(0);
  }
  setpgid(watched, watched);
  troupe_report_socket_divide(0);
  close(sockets[1]);
  install_handler(SIGQUIT);
  install_handler(SIGTERM);
  sigprocmask(SIG_SETMASK, &before, NULL);
  int listener = recv_fd(channel, sockets[0]);
  close(sockets[0]);
  struct troupe_probe_end end = wait_for_watched(channel, listener);
  /* The host hears of the end before the descendants are killed: that may take long, and changes nothing about the plugin. */
  int is_sent = troupe_report_socket_send(channel, TROUPE_PROBE_END, &end, sizeof end);
  /* The listener stays open and silent: a descendant that starts a process waits for an answer, and so starts none. */
  end_descendants();
  _exit(is_sent ? 0 : TROUPE_PROBE_LOST_CHANNEL);
}

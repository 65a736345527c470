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

#include "asked.h"
#include "channel.h"
#include "probe.h"
#include "processes.h"

/*
 * A probe is two processes. The one that the host started watches; the plugin runs in the other one, in a process group of its own.
 * Whatever that one does to its parent, its group or itself, there is somebody left who knows how it ended, who is asked before it
 * does to others what it must not, and who ends what it has left behind: a daemon, which belongs to no group and outlives its parents,
 * comes to the watching process, since that has asked for it.
 */

static volatile pid_t watched;

static void pass_on(int signal) {
  int code = errno;
  kill(watched, signal == SIGQUIT ? SIGQUIT : SIGKILL);
  errno = code;
}

static void listen_to(int signal) {
  struct sigaction action = {.sa_handler = pass_on};
  sigaction(signal, &action, NULL);
}

/* Sends a signal to every descendant; how many these are. */
static size_t signal_descendants(int signal) {
  size_t count, found = 0;
  const struct troupe_process *all = troupe_processes(&count);
  for (size_t index = 0; index < count; index++) {
    if (all[index].is_ours && kill(all[index].number, signal) == 0) found++;
  }
  return found;
}

/* Whether nobody is in a group but descendants, as far as the list of all processes knows. */
static int is_group_ours(const struct troupe_process *all, size_t count, pid_t group) {
  for (size_t index = 0; index < count; index++) {
    if (all[index].group == group && !all[index].is_ours) return 0;
  }
  return group > 1 && group != getpgrp();
}

/*
 * Ends the groups of descendants, each at once: of those that start another one and end, again and again, the group stays when none
 * of its processes is there for as long as it takes to look at them all.
 */
static void end_groups(void) {
  size_t count;
  const struct troupe_process *all = troupe_processes(&count);
  pid_t last = 0;
  for (size_t index = 0; index < count; index++) {
    pid_t group = all[index].group;
    if (!all[index].is_ours || group == last) continue;
    last = group;
    if (is_group_ours(all, count, group)) kill(-group, SIGKILL);
  }
}

/*
 * Ends every descendant. Those that start others all the time are stopped first, round by round, until there are no more of them than
 * there were before. Where the watching process is asked before a process is started, none is any more.
 */
static void end_descendants(void) {
  enum { most_rounds = 16 };
  for (;;) {
    pid_t ended;
    while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) {
    }
    if (ended < 0 && errno != EINTR) return;
    size_t before = 0, now = signal_descendants(SIGSTOP);
    for (int round = 0; round < most_rounds && now > before; round++) {
      before = now;
      now = signal_descendants(SIGSTOP);
    }
    end_groups();
    signal_descendants(SIGKILL);
    usleep(1000);
  }
}

/* Waits for the end of the watched process, and ends it once the host is gone, or somebody has shut the channel. */
static struct troupe_probe_end wait_for_watched(int channel, int listener) {
  int end = troupe_probe_descriptor(watched);
  struct pollfd events[] = {{.fd = channel}, {.fd = end, .events = POLLIN}, {.fd = listener, .events = POLLIN}};
  struct troupe_probe_end result = {0};
  while (waitpid(watched, &result.status, WNOHANG) != watched) {
    /* Without a descriptor for its end, which only old systems lack, now and then. */
    if (poll(events, 3, end < 0 ? 10 : -1) <= 0) continue;
    if (events[2].revents & POLLIN) {
      int32_t cause = troupe_probe_answer(listener, watched);
      if (!result.refused) result.refused = cause;
    } else if (events[2].revents) {
      events[2].fd = -1;
    }
    if (events[0].revents & (POLLHUP | POLLERR)) {
      kill(watched, SIGKILL);
      events[0].fd = -1;
    }
  }
  if (end >= 0) close(end);
  result.is_mute = troupe_channel_is_mute();
  return result;
}

/* Hands a descriptor to who has the other end of a socket. */
static void hand_over(int socket, int descriptor) {
  char byte = 0;
  struct iovec piece = {&byte, 1};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  memset(&control, 0, sizeof control);
  struct msghdr message = {
    .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.bytes};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  sendmsg(socket, &message, MSG_NOSIGNAL);
}

/* Takes what is handed over; -1 if that is nothing. */
static int take_over(int socket) {
  char byte;
  struct iovec piece = {&byte, 1};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message = {
    .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.bytes};
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) <= 0) return -1;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  int descriptor = -1;
  if (header && header->cmsg_type == SCM_RIGHTS) memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return descriptor;
}

/* Makes the process one that a plugin may be loaded into. */
static void be_watched(int socket) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  /* What its children leave behind is its own, so that it is noticed. */
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  /* Where the system cannot do that, nothing is lost but a plugin's good manners. */
  int listener = troupe_probe_filter_calls();
  if (listener >= 0) {
    hand_over(socket, listener);
    close(listener);
  }
  close(socket);
  troupe_channel_divide(1);
}

static _Noreturn void complain(int channel) {
  enum { software_error = 70 };
  dprintf(
      STDERR_FILENO,
      "this program was told by its environment to probe a plugin for a host, and no host speaks to it on descriptor %d; "
      "take " TROUPE_PROBE_VARIABLE " and " TROUPE_PROBE_VARIABLE "_ANSWER out of the environment\n",
      channel);
  _exit(software_error);
}

void troupe_probe_watch(int channel) {
  if (!troupe_channel_open(channel)) complain(channel);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t every, before;
  sigfillset(&every);
  sigprocmask(SIG_SETMASK, &every, &before);
  pid_t self = getpid();
  int sockets[2];
  watched = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0 ? fork() : -1;
  if (watched == 0) {
    close(sockets[0]);
    be_watched(sockets[1]);
    /* It may have gone before that. */
    if (getppid() != self) _exit(TROUPE_PROBE_MUTE);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return;
  }
  if (watched < 0) {
    int32_t code = errno;
    troupe_channel_tell(channel, TROUPE_PROBE_NOT_STARTED, &code, sizeof code);
    _exit(0);
  }
  setpgid(watched, watched);
  troupe_channel_divide(0);
  close(sockets[1]);
  listen_to(SIGQUIT);
  listen_to(SIGTERM);
  sigprocmask(SIG_SETMASK, &before, NULL);
  int listener = take_over(sockets[0]);
  close(sockets[0]);
  struct troupe_probe_end end = wait_for_watched(channel, listener);
  /* From here on a signal has nobody to be passed on to, whose number may be another process's by now. */
  signal(SIGQUIT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  /* Before the rest ends, which may take long on a busy machine and changes nothing about the plugin. */
  int is_told = troupe_channel_tell(channel, TROUPE_PROBE_END, &end, sizeof end);
  /* The listener stays open and silent: a descendant that starts a process waits for an answer, and so starts none. */
  end_descendants();
  _exit(is_told ? 0 : TROUPE_PROBE_MUTE);
}

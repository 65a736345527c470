/* The loop of the fork server, and the requests of its host. fork_server.h has the picture. */
#define _GNU_SOURCE
#include "fork_server.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "channel.h"
#include "probe.h"
#include "processes.h"

enum command { START = 1, REAP = 2 };

/* START has `struct descriptors` beside it, as SCM_RIGHTS, and no child. REAP names the child by its PID. */
struct request {
  int32_t command;
  int32_t child;
};

struct reply {
  int32_t error; /* an errno; 0 for success */
  int32_t value; /* for START the PID of the new child, for REAP the status of waitpid(2) */
};

/* What the host passes to a new child. Standard output and standard error both become the output. */
struct descriptors {
  int channel, output;
};

union control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(struct descriptors))];
};

/* Sends all bytes, and the descriptors if there are any. Returns true on success. */
static int send_with(int socket, const void *bytes, size_t count, const struct descriptors *descriptors) {
  struct iovec piece = {(void *)(uintptr_t)bytes, count};
  union control control;
  memset(&control, 0, sizeof control);
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
  if (descriptors) {
    message.msg_control = &control;
    message.msg_controllen = sizeof control.bytes;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof *descriptors);
    memcpy(CMSG_DATA(header), descriptors, sizeof *descriptors);
  }
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == (ssize_t)count;
}

/* Receives all bytes, and the descriptors, which are -1 if none came. Returns true on success. */
static int receive_with(int socket, void *bytes, size_t count, struct descriptors *descriptors) {
  struct iovec piece = {bytes, count};
  union control control;
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.bytes};
  ssize_t received;
  do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  while (received < 0 && errno == EINTR);
  if (received != (ssize_t)count) return 0;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  *descriptors = (struct descriptors){-1, -1};
  if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof *descriptors)) {
    memcpy(descriptors, CMSG_DATA(header), sizeof *descriptors);
  }
  return 1;
}

/* The server. */

/* Returns false if /proc cannot be read, so that the server rather refuses to fork. */
static int has_one_thread(void) {
  int count = 0;
  DIR *threads = opendir("/proc/self/task");
  if (!threads) return 0;
  for (struct dirent *entry; (entry = readdir(threads));) count += entry->d_name[0] != '.';
  closedir(threads);
  return count == 1;
}

/*
 * Forks. Returns the PID, -1 with errno, or 0 in the child, where the given descriptors have replaced those of the server. Both processes
 * make the child the leader of a group, since either may run first.
 */
static pid_t start_child(int channel, struct descriptors given) {
  pid_t child = fork();
  if (child != 0) {
    if (child > 0) setpgid(child, child);
    return child;
  }
  setpgid(0, 0);
  if (dup2(given.output, STDOUT_FILENO) < 0 || dup2(given.output, STDERR_FILENO) < 0 || dup2(given.channel, channel) < 0) {
    _exit(TROUPE_PROBE_MUTE);
  }
  close(given.channel);
  close(given.output);
  return 0;
}

static struct reply reap_child(pid_t child) {
  int32_t status = 0;
  /* Before the wait, so that the PID still belongs to this group. */
  kill(-child, SIGKILL);
  pid_t reaped = troupe_probe_wait(child, &status, 0);
  return reaped < 0 ? (struct reply){.error = errno} : (struct reply){.value = status};
}

/* Defined in ProbeChild.swift, which a program with TroupeSandbox and without TroupeHost does not link. */
extern void troupe_probe_rehearse(void) __attribute__((weak));

void troupe_fork_server_run(int channel) {
  if (troupe_probe_rehearse) troupe_probe_rehearse();
  /* The constructor of a preloaded library may have started a thread. */
  int may_fork = has_one_thread();
  struct request request;
  struct descriptors given;
  while (receive_with(channel, &request, sizeof request, &given)) {
    struct reply reply = {.error = EINVAL};
    if (request.command == REAP && request.child > 0) {
      reply = reap_child(request.child);
    } else if (request.command == START && given.output >= 0) {
      pid_t child = may_fork ? start_child(channel, given) : -1;
      if (child == 0) return;
      reply = (struct reply){child > 0 ? 0 : may_fork ? errno : EBUSY, child};
    }
    if (given.channel >= 0) close(given.channel);
    if (given.output >= 0) close(given.output);
    if (!send_with(channel, &reply, sizeof reply, NULL)) break;
  }
  _exit(0);
}

/* The host. */

/* Sends a request, and waits for the reply. Returns 0 or an errno. */
static int ask(int server, struct request request, const struct descriptors *given, int32_t *value) {
  enum { longest_wait = 10000 }; /* in milliseconds */
  struct reply reply;
  if (!send_with(server, &request, sizeof request, given)) return EPIPE;
  for (size_t count = 0; count < sizeof reply;) {
    struct pollfd event = {.fd = server, .events = POLLIN};
    int found = troupe_probe_poll(&event, 1, longest_wait);
    if (found < 0 && errno == EINTR) continue;
    if (found <= 0) {
      /* A later reply would be taken for that of the next request. */
      shutdown(server, SHUT_RDWR);
      return EPIPE;
    }
    ssize_t received = recv(server, (char *)&reply + count, sizeof reply - count, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return EPIPE;
    count += (size_t)received;
  }
  *value = reply.value;
  return reply.error;
}

int troupe_fork_server_start(int server, int channel, int output, pid_t *child) {
  struct descriptors given = {channel, output};
  return ask(server, (struct request){START, 0}, &given, child);
}

int troupe_fork_server_reap(int server, pid_t child, int32_t *status) {
  return ask(server, (struct request){REAP, child}, NULL, status);
}

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
#include "report_socket.h"

enum command { START = 1, REAP = 2 };

/* START has the channel and the output beside it, as SCM_RIGHTS, and no child. REAP names the child by its PID. */
struct request {
  int32_t command;
  int32_t child;
};

struct reply {
  int32_t error; /* an errno; 0 for success */
  int32_t value; /* for START the PID of the new child, for REAP the status of waitpid(2) */
};

/* The places of the descriptors that the host passes to a new child. Standard output and standard error both become the output. */
enum { CHANNEL, OUTPUT, DESCRIPTOR_COUNT };

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
static pid_t start_child(int channel, const int given[DESCRIPTOR_COUNT]) {
  pid_t child = fork();
  if (child != 0) {
    if (child > 0) setpgid(child, child);
    return child;
  }
  setpgid(0, 0);
  int output = given[OUTPUT];
  if (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0 || dup2(given[CHANNEL], channel) < 0) {
    _exit(TROUPE_PROBE_LOST_CHANNEL);
  }
  close(given[CHANNEL]);
  close(output);
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
  int given[DESCRIPTOR_COUNT];
  while (troupe_receive_descriptors(channel, &request, sizeof request, given, DESCRIPTOR_COUNT) > 0) {
    struct reply reply = {.error = EINVAL};
    if (request.command == REAP && request.child > 0) {
      reply = reap_child(request.child);
    } else if (request.command == START && given[OUTPUT] >= 0) {
      pid_t child = may_fork ? start_child(channel, given) : -1;
      if (child == 0) return;
      reply = (struct reply){child > 0 ? 0 : may_fork ? errno : EBUSY, child};
    }
    for (int index = 0; index < DESCRIPTOR_COUNT; index++) {
      if (given[index] >= 0) close(given[index]);
    }
    if (!troupe_send_descriptors(channel, &reply, sizeof reply, NULL, 0)) break;
  }
  _exit(0);
}

/* The host. */

static int64_t milliseconds(void) { return (int64_t)(troupe_channel_time() / 1000000); }

/* Returns false if the server has ended or does not answer in time. */
static int receive_reply(int server, struct reply *reply) {
  enum { longest_wait = 10000 }; /* in milliseconds */
  /* A point in time, since a signal that comes again and again would restart a duration. */
  const int64_t end = milliseconds() + longest_wait;
  for (size_t received = 0; received < sizeof *reply;) {
    struct pollfd event = {.fd = server, .events = POLLIN};
    int64_t left = end - milliseconds();
    int found = left > 0 ? troupe_probe_poll(&event, 1, (int)left) : 0;
    if (found < 0 && errno == EINTR) continue;
    if (found <= 0) return 0;
    ssize_t piece = recv(server, (char *)reply + received, sizeof *reply - received, 0);
    if (piece < 0 && errno == EINTR) continue;
    if (piece <= 0) return 0;
    received += (size_t)piece;
  }
  return 1;
}

/* Sends a request, and waits for the reply. Returns 0 or an errno. */
static int ask(int server, struct request request, const int given[], size_t count, int32_t *value) {
  struct reply reply;
  if (!troupe_send_descriptors(server, &request, sizeof request, given, count) || !receive_reply(server, &reply)) {
    /* A later reply would be taken for that of the next request. */
    shutdown(server, SHUT_RDWR);
    return EPIPE;
  }
  *value = reply.value;
  return reply.error;
}

int troupe_fork_server_start(int server, int channel, int output, pid_t *child) {
  const int given[DESCRIPTOR_COUNT] = {[CHANNEL] = channel, [OUTPUT] = output};
  return ask(server, (struct request){START, 0}, given, DESCRIPTOR_COUNT, child);
}

int troupe_fork_server_reap(int server, pid_t child, int32_t *status) {
  return ask(server, (struct request){REAP, child}, NULL, 0, status);
}

#define _GNU_SOURCE
#include "report_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fork_server.h"
#include "probe.h"

/* The bytes before the request; see TROUPE_PROBE_GREETING. */
struct greeting {
  unsigned char word[TROUPE_PROBE_GREETING_SIZE];
  unsigned char watching[TROUPE_PROBE_KEY_SIZE];
  unsigned char watched[TROUPE_PROBE_KEY_SIZE];
};

static unsigned char watching_key[TROUPE_PROBE_KEY_SIZE];
/* A page that cannot be read, with the key at its beginning. */
static unsigned char *watched_key;
static size_t page_size;
/* True once the plugin's process has lost the channel: in memory that both processes share, since a plugin cannot close that. */
static volatile int32_t *lost_channel;

/* The host: the parent of this process or, in a child of the fork server, the parent of the server. */
static pid_t host;

/* Returns true if a descriptor is one end of a pair of sockets that the host has made. */
static int is_of_host(int channel) {
  struct stat status;
  if (fstat(channel, &status) != 0 || !S_ISSOCK(status.st_mode)) return 0;
  struct ucred peer;
  socklen_t length = sizeof peer;
  return getsockopt(channel, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.pid == host;
}

static int receive_all(int channel, void *bytes, size_t count) { return recv(channel, bytes, count, MSG_WAITALL) == (ssize_t)count; }

int troupe_report_socket_open(int channel) {
  struct greeting greeting;
  host = getppid();
  if (!is_of_host(channel) || !receive_all(channel, greeting.word, sizeof greeting.word)) return 0;
  if (memcmp(greeting.word, TROUPE_FORK_SERVER_GREETING, sizeof greeting.word) == 0) {
    troupe_fork_server_run(channel);
    if (!is_of_host(channel) || !receive_all(channel, greeting.word, sizeof greeting.word)) return 0;
  }
  if (memcmp(greeting.word, TROUPE_PROBE_GREETING, sizeof greeting.word) != 0) return 0;
  if (!receive_all(channel, greeting.watching, sizeof greeting - sizeof greeting.word)) return 0;
  page_size = (size_t)sysconf(_SC_PAGESIZE);
  watched_key = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void *shared = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (watched_key == MAP_FAILED || shared == MAP_FAILED) abort();
  lost_channel = shared;
  memcpy(watching_key, greeting.watching, sizeof watching_key);
  memcpy(watched_key, greeting.watched, sizeof greeting.watched);
  explicit_bzero(&greeting, sizeof greeting);
  return 1;
}

union control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(troupe_most_descriptors * sizeof(int))];
};

int troupe_send_descriptors(int socket, const void *bytes, size_t count, const int descriptors[], size_t descriptor_count) {
  struct iovec piece = {(void *)(uintptr_t)bytes, count};
  union control control;
  memset(&control, 0, sizeof control);
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
  if (descriptor_count > 0) {
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(descriptor_count * sizeof *descriptors);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptor_count * sizeof *descriptors);
    memcpy(CMSG_DATA(header), descriptors, descriptor_count * sizeof *descriptors);
  }
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == (ssize_t)count;
}

int troupe_receive_descriptors(int socket, void *bytes, size_t count, int descriptors[], size_t descriptor_count) {
  struct iovec piece = {bytes, count};
  union control control;
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.bytes};
  for (size_t index = 0; index < descriptor_count; index++) descriptors[index] = -1;
  ssize_t received;
  do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  while (received < 0 && errno == EINTR);
  if (received < 0) return -1;
  int is_whole = received == (ssize_t)count;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_type == SCM_RIGHTS) {
    size_t arrived = (header->cmsg_len - CMSG_LEN(0)) / sizeof *descriptors;
    int is_expected = is_whole && arrived == descriptor_count && !(message.msg_flags & MSG_CTRUNC);
    for (size_t index = 0; index < arrived; index++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(header) + index * sizeof descriptor, sizeof descriptor);
      if (is_expected) descriptors[index] = descriptor;
      else close(descriptor);
    }
  }
  return is_whole;
}

void troupe_report_socket_divide(int is_watched) {
  if (is_watched) {
    explicit_bzero(watching_key, sizeof watching_key);
    madvise(watched_key, page_size, MADV_WIPEONFORK);
    madvise(watched_key, page_size, MADV_DONTDUMP);
    mprotect(watched_key, page_size, PROT_NONE);
  } else {
    munmap(watched_key, page_size);
    watched_key = NULL;
  }
}

int troupe_report_socket_is_lost(void) { return *lost_channel; }

static int send_all(int channel, struct iovec *pieces, size_t count) {
  while (count > 0) {
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = count};
    /* Not writev, which would send SIGPIPE for a closed channel. */
    ssize_t written = sendmsg(channel, &message, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return 0;
    while (count > 0 && (size_t)written >= pieces->iov_len) {
      written -= (ssize_t)pieces->iov_len;
      pieces++;
      count--;
    }
    if (count > 0) {
      pieces->iov_base = (char *)pieces->iov_base + written;
      pieces->iov_len -= (size_t)written;
    }
  }
  return 1;
}

static int send_message(int channel, uint8_t kind, unsigned char *key, const void *content, size_t count) {
  char header[5];
  uint32_t length = (uint32_t)count;
  memcpy(header, &length, sizeof length);
  header[4] = (char)kind;
  struct iovec pieces[] = {
    {header, sizeof header}, {key, TROUPE_PROBE_KEY_SIZE}, {(void *)(uintptr_t)content, count},
  };
  return send_all(channel, pieces, count > 0 ? 3 : 2);
}

int troupe_report_socket_send(int channel, uint8_t kind, const void *content, size_t count) {
  return send_message(channel, kind, watching_key, content, count);
}

int troupe_probe_send(int channel, uint8_t kind, const void *content, size_t count) {
  if (mprotect(watched_key, page_size, PROT_READ) != 0) return 0;
  int is_sent = send_message(channel, kind, watched_key, content, count);
  mprotect(watched_key, page_size, PROT_NONE);
  return is_sent;
}

void troupe_probe_end_without_channel(void) {
  *lost_channel = 1;
  _exit(TROUPE_PROBE_LOST_CHANNEL);
}

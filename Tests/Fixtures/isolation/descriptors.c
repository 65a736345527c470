/* Sends messages with descriptors, and prints for each what its receiver gets, and how many descriptors that leaves open. */
#define _GNU_SOURCE
#include "report_socket.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Only a greeting leads to it. */
void troupe_fork_server_run(int channel) {
  (void)channel;
  abort();
}

static int open_descriptors(void) {
  int count = 0;
  DIR *directory = opendir("/proc/self/fd");
  if (!directory) abort();
  while (readdir(directory)) count++;
  closedir(directory);
  return count;
}

/* Sends some of the expected bytes with some descriptors, and closes the socket. */
static void send_and_receive(size_t bytes, size_t sent, size_t expected) {
  int ends[2], before = open_descriptors();
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) abort();
  const int given[troupe_most_descriptors] = {STDIN_FILENO, STDOUT_FILENO};
  const char content[2] = "x";
  if (!troupe_send_descriptors(ends[0], content, bytes, given, sent)) abort();
  close(ends[0]);
  char received[sizeof content];
  int descriptors[troupe_most_descriptors], valid = 0;
  int result = troupe_receive_descriptors(ends[1], received, sizeof received, descriptors, expected);
  close(ends[1]);
  for (size_t index = 0; index < expected; index++) {
    if (descriptors[index] < 0) continue;
    valid++;
    close(descriptors[index]);
  }
  printf("%zu %zu %zu: %d %d %d\n", bytes, sent, expected, result, valid, open_descriptors() - before);
}

int main(void) {
  for (size_t bytes = 1; bytes <= 2; bytes++) {
    for (size_t sent = 0; sent <= troupe_most_descriptors; sent++) {
      for (size_t expected = 0; expected <= troupe_most_descriptors; expected++) send_and_receive(bytes, sent, expected);
    }
  }
}

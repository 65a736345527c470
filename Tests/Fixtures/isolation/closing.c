/*
 * Closes the end of a host that sleeps, after a thread in the role of its worker has moved the sleeper to another futex. Ends with 0 if that
 * ends the wait. Argument: the error number with which futex_waitv(2) fails; 0 to allow it.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "channel.h"

enum { capacity = 64, page = 4096, line = 128 + capacity, call_futex_waitv = 449 };

static int deny(int error) {
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call_futex_waitv, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static struct troupe_end end;

static void *receive(void *result) {
  struct troupe_message message;
  unsigned char bytes[capacity];
  *(int *)result = troupe_end_receive(&end, &message, bytes, TROUPE_WAIT_ASLEEP, UINT64_MAX);
  return NULL;
}

int main(int count, char **arguments) {
  int error = count > 1 ? atoi(arguments[1]) : 0;
  if (error != 0 && !deny(error)) return 2;
  size_t size = troupe_channel_size(1, capacity);
  int descriptor = troupe_channel_create(size);
  void *memory = troupe_channel_map(descriptor, size);
  char *worker = troupe_channel_map(descriptor, size);
  if (!memory || !worker) return 3;
  end = troupe_end_make(memory, 0, capacity, 1);
  pthread_t thread;
  int result = -1;
  if (pthread_create(&thread, NULL, receive, &result) != 0) return 4;
  /* The number of the worker's line, on which the host sleeps. */
  uint32_t *number = (uint32_t *)(worker + page + line);
  static uint32_t other;
  /* It sleeps in two ways, one after the other, so it is moved for some time. */
  const uint64_t duration = 100000000;
  uint64_t start = troupe_channel_time();
  for (int is_moved = 0; !is_moved || troupe_channel_time() - start < duration; sched_yield()) {
    is_moved |= syscall(SYS_futex, number, FUTEX_CMP_REQUEUE, 0, INT_MAX, &other, 0) == 1;
  }
  troupe_end_close(&end);
  pthread_join(thread, NULL);
  return result == TROUPE_CHANNEL_CLOSED ? 0 : 1;
}

/*
 * A worker that serves the slots of the channel at descriptor 3, each on a thread of its own. SLOTS and CAPACITY are in the environment.
 * It answers a message of the kind `echo` with its content, and misbehaves at others.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "channel.h"
#include "crash.h"
#include "policy.h"

enum { echo = 1, crash, exits, aborts, overflows, loops, stops, holds, prints, ends_thread, forks, traces };

static void *memory;
static size_t capacity;

static int overflow(volatile char *above) {
  volatile char bytes[4096];
  bytes[0] = above ? above[0] : 1;
  return overflow(bytes) + bytes[0];
}

static void misbehave(uint32_t kind) {
  switch (kind) {
  case crash: *(volatile int *)8 = 1; break;
  case exits: _exit(7);
  case aborts: abort();
  case overflows: overflow(NULL); break;
  case loops:
    for (volatile int i = 0;; i++) {}
  case stops: raise(SIGSTOP); break;
  case holds: pause(); break;
  case prints: puts("printed"); fflush(stdout); break;
  case ends_thread: pthread_exit(NULL);
  case traces: ptrace(PTRACE_TRACEME, 0, NULL, NULL); break;
  case forks:
    if (fork() == 0) {
      for (;;) pause();
    }
  }
}

static void *serve(void *slot) {
  struct troupe_end end = troupe_end_make(memory, (uint32_t)(uintptr_t)slot, capacity, 0);
  unsigned char *bytes = malloc(capacity);
  struct troupe_message message = {0};
  uint32_t wait = TROUPE_WAIT_ASLEEP;
  while (troupe_end_receive(&end, &message, bytes, wait, UINT64_MAX) == TROUPE_CHANNEL_RECEIVED) {
    wait = message.wait;
    if (message.kind != echo) misbehave(message.kind);
    troupe_end_send(&end, message.kind, bytes, message.count, TROUPE_WAIT_ASLEEP);
  }
  exit(1);
}

int main(void) {
  uint32_t slots = (uint32_t)atoi(getenv("SLOTS"));
  capacity = (size_t)atoi(getenv("CAPACITY"));
  memory = troupe_channel_map(3, troupe_channel_size(slots, capacity));
  if (!memory) return 2;
  if (getenv("LAYERS")) {
    struct troupe_policy policy = {.layers = (uint32_t)atoi(getenv("LAYERS"))};
    troupe_crash_write_to(memory);
    troupe_policy_apply(&policy);
  }
  for (uint32_t slot = 0; slot < slots; slot++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, (void *)(uintptr_t)slot) != 0) return 3;
  }
  for (;;) pause();
}

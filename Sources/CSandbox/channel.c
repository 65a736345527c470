#define _GNU_SOURCE
#include "channel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u /* since Linux 6.3 */
#endif

enum { cache_line = 64, page = 4096 };

/* The longest spin of a receiver before it sleeps, in nanoseconds. A wake-up on another processor takes about as long. */
static const uint64_t longest_spin = 50000;

/*
 * Set in the number of a line when its receiver closes, so that a futex wait for the old number fails. Message numbers use the
 * other bits.
 */
static const uint32_t closed_bit = 0x80000000u;

/*
 * The interval at which a sleeping host checks whether its end is closed, in nanoseconds, where it cannot use futex_waitv(2).
 */
static const uint64_t longest_sleep = 5000000;

/* A word on which futex_waitv(2) waits: struct futex_waitv of Linux 5.16, which older headers lack. */
struct waited_word {
  uint64_t value, address;
  uint32_t flags, reserved;
};

enum { call_futex_waitv = 449, word_of_32_bits = 2 };

static uint32_t following(uint32_t number) { return (number + 1) & ~closed_bit; }

struct troupe_line {
  /*
   * The number of the last message. The receiver sleeps on it, so the sender writes it last. The receiver only adds closed_bit.
   */
  _Alignas(cache_line) _Atomic uint32_t number;
  _Atomic uint32_t kind, wait, count;
  /* True while the receiver sleeps or is about to. The receiver writes it, so it has a cache line of its own. */
  _Alignas(cache_line) _Atomic uint32_t is_asleep;
  _Alignas(cache_line) unsigned char bytes[];
};

static size_t line_size(size_t capacity) {
  return sizeof(struct troupe_line) + (capacity + cache_line - 1) / cache_line * cache_line;
}

size_t troupe_channel_size(uint32_t slots, size_t capacity) {
  return page + (2 * slots * line_size(capacity) + page - 1) / page * page;
}

int troupe_channel_create(size_t size) {
  int descriptor = memfd_create("troupe-channel", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
  /* An older kernel does not know the flag. */
  if (descriptor < 0 && errno == EINVAL) descriptor = memfd_create("troupe-channel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return -1;
  if (ftruncate(descriptor, (off_t)size) == 0 && fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0) {
    return descriptor;
  }
  int problem = errno;
  close(descriptor);
  errno = problem;
  return -1;
}

void *troupe_channel_map(int descriptor, size_t size) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) return NULL;
  if (status.st_size != (off_t)size) {
    errno = EINVAL;
    return NULL;
  }
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

struct troupe_end troupe_end_make(void *memory, uint32_t slot, size_t capacity, int is_host) {
  unsigned char *start = (unsigned char *)memory + page + 2 * slot * line_size(capacity);
  struct troupe_line *host = (struct troupe_line *)start, *worker = (struct troupe_line *)(start + line_size(capacity));
  return (struct troupe_end){
    .out = is_host ? host : worker, .in = is_host ? worker : host, .capacity = capacity, .is_host = is_host != 0};
}

uint64_t troupe_channel_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void wake(struct troupe_line *line) {
  /* The memory is shared between processes, so that the futex is not private. */
  syscall(SYS_futex, &line->number, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

int troupe_end_send(struct troupe_end *end, uint32_t kind, const void *bytes, size_t count, uint32_t wait) {
  struct troupe_line *line = end->out;
  if (count > 0) memcpy(line->bytes, bytes, count);
  atomic_store_explicit(&line->kind, kind, memory_order_relaxed);
  atomic_store_explicit(&line->wait, wait, memory_order_relaxed);
  atomic_store_explicit(&line->count, (uint32_t)count, memory_order_relaxed);
  /*
   * Sequentially consistent, as the store of is_asleep in sleep_until: either this thread sees that the receiver sleeps, or the
   * receiver sees the new number and does not sleep. So no wake-up is lost.
   */
  end->sent = following(end->sent);
  atomic_store(&line->number, end->sent);
  int is_asleep = atomic_load(&line->is_asleep) != 0;
  if (is_asleep) wake(line);
  return is_asleep;
}

static void pause_processor(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static int is_closed(const struct troupe_end *end) { return __atomic_load_n(&end->is_closed, __ATOMIC_ACQUIRE) != 0; }

/* Spins until the number changes or the time is over. Returns the number. */
static uint32_t spin(const struct troupe_end *end, uint64_t deadline) {
  uint64_t limit = 0;
  for (;;) {
    /* A look at the clock costs a tenth of an exchange of messages, so only every 64th turn takes one. */
    for (int turn = 0; turn < 64; turn++) {
      uint32_t number = atomic_load_explicit(&end->in->number, memory_order_acquire);
      if (number != end->received) return number;
      pause_processor();
    }
    uint64_t time = troupe_channel_time();
    if (!limit) limit = time + longest_spin < deadline ? time + longest_spin : deadline;
    if (is_closed(end) || time >= limit) return end->received;
  }
}

static struct timespec time_of(uint64_t nanoseconds) {
  return (struct timespec){.tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
}

/* Sleeps until a wake-up, a changed number or the deadline. Returns the result of futex(2). */
static long sleep_on_number(struct troupe_end *end, uint64_t deadline) {
  struct timespec limit = time_of(deadline);
  /* Unlike FUTEX_WAIT, FUTEX_WAIT_BITSET takes an absolute time of CLOCK_MONOTONIC. */
  return syscall(
    SYS_futex, &end->in->number, FUTEX_WAIT_BITSET, end->received, deadline == UINT64_MAX ? NULL : &limit, NULL,
    FUTEX_BITSET_MATCH_ANY);
}

/*
 * Sleeps as sleep_on_number does, and also wakes when the end is closed. A hostile worker can move a waiter of the shared
 * number to another futex (FUTEX_REQUEUE), where no wake-up reaches it. It cannot move a waiter of is_closed, a private futex
 * of the host, so the host waits for both words with futex_waitv(2).
 *
 * That costs 2 µs more than a wait for one word. Most messages arrive within the first sleep, which is therefore short and
 * waits for the number alone.
 */
static long sleep_as_host(struct troupe_end *end, uint64_t deadline, int is_first) {
  static _Atomic int lacks_waitv;
  if (!is_first && !atomic_load_explicit(&lacks_waitv, memory_order_relaxed)) {
    struct timespec limit = time_of(deadline);
    const struct waited_word words[] = {
      {.value = end->received, .address = (uintptr_t)&end->in->number, .flags = word_of_32_bits},
      {.value = 0, .address = (uintptr_t)&end->is_closed, .flags = word_of_32_bits | FUTEX_PRIVATE_FLAG},
    };
    long result = syscall(call_futex_waitv, words, 2, 0, deadline == UINT64_MAX ? NULL : &limit, CLOCK_MONOTONIC);
    if (result >= 0 || (errno != ENOSYS && errno != EPERM)) return result;
    atomic_store_explicit(&lacks_waitv, 1, memory_order_relaxed);
  }
  uint64_t next = troupe_channel_time() + longest_sleep;
  if (next >= deadline) return sleep_on_number(end, deadline);
  sleep_on_number(end, next);
  return 0;
}

/* Sleeps until the number changes, the deadline passes or the end is closed. Returns the number. */
static uint32_t sleep_until(struct troupe_end *end, uint64_t deadline) {
  struct troupe_line *line = end->in;
  uint32_t number;
  int is_first = 1;
  atomic_store(&line->is_asleep, 1);
  while ((number = atomic_load(&line->number)) == end->received && !is_closed(end)) {
    long result = end->is_host ? sleep_as_host(end, deadline, is_first) : sleep_on_number(end, deadline);
    is_first = 0;
    if (result < 0 && errno == ETIMEDOUT) {
      number = atomic_load(&line->number);
      break;
    }
  }
  atomic_store_explicit(&line->is_asleep, 0, memory_order_relaxed);
  return number;
}

int troupe_end_receive(struct troupe_end *end, struct troupe_message *message, void *bytes, uint32_t wait, uint64_t deadline) {
  struct troupe_line *line = end->in;
  uint32_t number = wait == TROUPE_WAIT_SPINNING ? spin(end, deadline) : end->received;
  if (number == end->received) number = sleep_until(end, deadline);
  if (is_closed(end)) return TROUPE_CHANNEL_CLOSED;
  if (number == end->received) return TROUPE_CHANNEL_TIMED_OUT;
  if (number != following(end->received)) return TROUPE_CHANNEL_MALFORMED;
  uint32_t count = atomic_load_explicit(&line->count, memory_order_relaxed);
  if (count > end->capacity) return TROUPE_CHANNEL_MALFORMED;
  end->received = number;
  message->kind = atomic_load_explicit(&line->kind, memory_order_relaxed);
  message->wait =
    atomic_load_explicit(&line->wait, memory_order_relaxed) == TROUPE_WAIT_SPINNING ? TROUPE_WAIT_SPINNING : TROUPE_WAIT_ASLEEP;
  message->count = count;
  memcpy(bytes, line->bytes, count);
  return TROUPE_CHANNEL_RECEIVED;
}

int troupe_end_has_message(const struct troupe_end *end) {
  return is_closed(end) || atomic_load_explicit(&end->in->number, memory_order_acquire) != end->received;
}

void troupe_counter_write(void *counter, uint64_t value) { __atomic_store_n((uint64_t *)counter, value, __ATOMIC_RELEASE); }

uint64_t troupe_counter_read(const void *counter) { return __atomic_load_n((const uint64_t *)counter, __ATOMIC_ACQUIRE); }

uint64_t troupe_counter_wait(const void *counter, uint64_t value) {
  for (int turn = 0;; turn++) {
    uint64_t now = troupe_counter_read(counter);
    if (now > value) return now;
    /* The other side may need this processor to write the counter. */
    if (turn < 128) pause_processor();
    else sched_yield();
  }
}

void troupe_bits_set(void *word, uint32_t bits) {
  __atomic_fetch_or((uint32_t *)word, bits, __ATOMIC_RELEASE);
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

uint32_t troupe_bits_wait(const void *word, uint32_t known) {
  for (;;) {
    uint32_t bits = __atomic_load_n((const uint32_t *)word, __ATOMIC_ACQUIRE);
    if (bits != known) return bits;
    syscall(SYS_futex, word, FUTEX_WAIT, known, NULL, NULL, 0);
  }
}

void troupe_end_close(struct troupe_end *end) {
  __atomic_store_n(&end->is_closed, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &end->is_closed, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, NULL, NULL, 0);
  /*
   * A receiver that has seen is_closed unset and is about to sleep finds another number, so its futex wait fails. A worker that
   * removes the bit again is ended, and the end closes once more.
   */
  atomic_fetch_or(&end->in->number, closed_bit);
  wake(end->in);
}

static uint32_t forks;

static void count_fork(void) { __atomic_add_fetch(&forks, 1, __ATOMIC_RELAXED); }

__attribute__((constructor)) static void begin(void) { pthread_atfork(NULL, NULL, count_fork); }

uint32_t troupe_channel_forks(void) { return __atomic_load_n(&forks, __ATOMIC_RELAXED); }

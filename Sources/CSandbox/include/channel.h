/*
 * Exchanges messages between a host and a worker in shared memory. In C since Swift has no atomic operations on memory that another
 * process changes, and no futex(2).
 *
 * The first page has a struct troupe_crash, the report of the worker's first fatal signal, which the host does not trust. Mailboxes follow,
 * in slots. A mailbox has two lines, one for the messages of the host and one for those of the worker, and carries one message at a time: a
 * side sends, and receives before it sends again. Each side keeps the numbers of the messages in its own memory, fetches each field of a
 * message once, and copies the content before it looks at it, so that the other side can write anything at any time. What follows the
 * mailboxes is the caller's.
 */
#ifndef TROUPE_CHANNEL_H
#define TROUPE_CHANNEL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/* The result of a receive. */
enum {
  TROUPE_CHANNEL_RECEIVED = 0,
  TROUPE_CHANNEL_TIMED_OUT = 1, /* the deadline has passed */
  TROUPE_CHANNEL_CLOSED = 2,    /* see troupe_end_close */
  TROUPE_CHANNEL_MALFORMED = 3  /* the number of the message is not the expected one, or it is longer than a line */
};

/* How a receiver waits. */
enum {
  TROUPE_WAIT_ASLEEP = 0,  /* in the kernel, so that the other side can have this processor at once */
  TROUPE_WAIT_SPINNING = 1 /* some microseconds on this processor, then in the kernel */
};

/* The messages of one side, in shared memory. */
struct troupe_line;

/* One side of a mailbox, in the memory of that side. One thread at a time may use it. */
struct troupe_end {
  struct troupe_line *out, *in;
  size_t capacity;         /* of a line in bytes */
  uint32_t sent, received; /* the numbers of the last messages */
  uint32_t is_closed;      /* set by any thread; a host also sleeps on it, as a private futex */
  uint32_t is_host;
};

/* The size of the memory of some mailboxes in bytes, a multiple of the size of a page. */
size_t troupe_channel_size(uint32_t slots, size_t capacity);

/*
 * Creates the memory: a file without a path, of a constant size, that is no program. Returns a descriptor, or -1 with errno.
 */
int troupe_channel_create(size_t size);

/* Maps the memory, mailboxes and what follows. Returns NULL with errno if it fails or if the file has another size. */
void *_Nullable troupe_channel_map(int descriptor, size_t size);

/* Returns a side of a mailbox of new memory. */
struct troupe_end troupe_end_make(void *memory, uint32_t slot, size_t capacity, int is_host);

/*
 * Copies a message into the mailbox and wakes the receiver. The count is at most the capacity.
 *
 * - wait: how the receiver shall wait for the message after this one.
 * Returns whether the receiver was asleep.
 */
int troupe_end_send(struct troupe_end *end, uint32_t kind, const void *_Nullable bytes, size_t count, uint32_t wait);

/* A received message without its content. */
struct troupe_message {
  uint32_t kind;
  uint32_t wait; /* how the sender asks the receiver to wait next: TROUPE_WAIT_ASLEEP for each unknown value */
  size_t count;  /* of the bytes of the content */
};

/*
 * Waits for the next message and copies it. `bytes` has room for the capacity.
 *
 * - wait: see TROUPE_WAIT_ASLEEP.
 * - deadline: the time of CLOCK_MONOTONIC in nanoseconds at which the wait ends; UINT64_MAX for none.
 */
int troupe_end_receive(struct troupe_end *end, struct troupe_message *message, void *bytes, uint32_t wait, uint64_t deadline);

/* Whether the next message has arrived, or the end is closed. */
int troupe_end_has_message(const struct troupe_end *end);

/*
 * Counters in the shared memory, by which one side tells the other how many bytes of a buffer it has written. The value that is read may be
 * any. The bytes are visible to a reader of the counter.
 */
void troupe_counter_write(void *counter, uint64_t value);
uint64_t troupe_counter_read(const void *counter);

/* Waits on the processor until a counter exceeds a value, which the other side is about to do. Returns its value. */
uint64_t troupe_counter_wait(const void *counter, uint64_t value);

/*
 * A word of bits in shared memory, which each side may set at any time. The first function sets bits and wakes the other side. The second one
 * sleeps while the word has a known value, and returns another one.
 */
void troupe_bits_set(void *word, uint32_t bits);
uint32_t troupe_bits_wait(const void *word, uint32_t known);

/* Ends the present and all later receives of this side. May be called again. [any thread] */
void troupe_end_close(struct troupe_end *end);

/*
 * The number of forks (fork(2)) between the start of the program and this process. A forked process has the memory of a channel, and must not
 * use it, since the process that made it does.
 */
uint32_t troupe_channel_forks(void);

/* The time of CLOCK_MONOTONIC in nanoseconds. */
uint64_t troupe_channel_time(void);

#pragma clang assume_nonnull end

#endif

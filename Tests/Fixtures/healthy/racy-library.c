/* A library for adoption that is not thread-safe, and whose functions find out whether two threads run them at once. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#pragma GCC visibility push(default)

static atomic_int inside, overlaps;
static char text[64];

static void enter(void) {
  int outer = atomic_fetch_add(&inside, 1);
  bool is_alone = outer == 0;
  for (int round = 0; round < 20; round++) {
    sched_yield();
    if (atomic_load(&inside) != 1) is_alone = false;
  }
  if (!is_alone) atomic_fetch_add(&overlaps, 1);
}

static void leave(void) { atomic_fetch_sub(&inside, 1); }

/* Returns the argument. */
int64_t racy_same(int64_t number) {
  enter();
  leave();
  return number;
}

/* Returns a copy of the argument, in memory that the next call overwrites. */
const char *racy_text(const char *argument) {
  enter();
  snprintf(text, sizeof text, "%s", argument);
  leave();
  return text;
}

/* Returns what the callback returns. */
int64_t racy_call(int64_t (*callback)(int64_t number), int64_t number) {
  enter();
  /* The callback may call the library. */
  leave();
  return callback(number);
}

struct racy { int64_t number; };

struct racy *racy_make(int64_t number) {
  enter();
  struct racy *made = malloc(sizeof *made);
  made->number = number;
  leave();
  return made;
}

void racy_free(struct racy *made) {
  enter();
  free(made);
  leave();
}

/* Returns -1, a failure, whose text is in memory that the next failure overwrites. */
int64_t racy_fail(int64_t number) {
  enter();
  snprintf(text, sizeof text, "failure %d", (int)number);
  leave();
  return -1;
}

const char *racy_reason(void) {
  enter();
  leave();
  return text;
}

/* Returns the number of times that a thread was not alone. */
int64_t racy_overlaps(void) { return atomic_load(&overlaps); }

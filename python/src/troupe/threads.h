/*
 * threads.h - callbacks from C into Python, on any thread, cancelled calls, and the end of the interpreter
 *
 * A thread that asks for the GIL after the interpreter has ended is ended with pthread_exit, which a thread of Swift does not
 * survive. So no callback begins after the end has begun, and the end waits for the callbacks that have begun.
 */
#ifndef TROUPE_PYTHON_THREADS_H
#define TROUPE_PYTHON_THREADS_H

#include <stdatomic.h>
#include <unistd.h>

/* The number of callbacks into Python that are under way on this thread, and on all threads. */
static __thread int troupe_callback_depth;
static atomic_int troupe_callback_count;
static atomic_int troupe_is_finalizing;

/* Returns whether a callback may begin. Then call troupe_callback_end at its end. Call it without the GIL. */
static inline int troupe_callback_begin(void) {
  atomic_fetch_add(&troupe_callback_count, 1);
  if (!atomic_load(&troupe_is_finalizing)) {
    troupe_callback_depth++;
    return 1;
  }
  atomic_fetch_sub(&troupe_callback_count, 1);
  return 0;
}

static inline void troupe_callback_end(void) {
  troupe_callback_depth--;
  atomic_fetch_sub(&troupe_callback_count, 1);
}

/* 1 after another thread has cancelled the calls of a thread. */
typedef atomic_int troupe_cancellation;

static inline void troupe_cancel(troupe_cancellation *cancellation) { atomic_store(cancellation, 1); }

static __thread troupe_cancellation *troupe_current_cancellation;

/* Has the calls of this thread cancelled with `cancellation`, or with none. */
static inline void troupe_set_cancellation(troupe_cancellation *cancellation) { troupe_current_cancellation = cancellation; }

static inline int troupe_is_cancelled(void) {
  return troupe_current_cancellation && atomic_load(troupe_current_cancellation);
}

/* Refuses further callbacks, and waits for those under way, at most two seconds: one may wait for a thing that never happens.
 * Call it without the GIL. */
static inline void troupe_callbacks_finalize(void) {
  atomic_store(&troupe_is_finalizing, 1);
  for (int round = 0; round < 2000 && atomic_load(&troupe_callback_count) > 0; round++) usleep(1000);
}

#endif

#include "callbacks.h"

#include "calls.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEPTH 8

/* A callback runs only with so much of the stack left, for itself and what it calls; on a small stack with a quarter of it. */
#define STACK_RESERVE ((size_t)64 << 10)

struct troupe_closure {
  _Atomic(troupe_closure_body) body;
  troupe_closure_body refuse;
  const void *context;
};

struct troupe_closure *troupe_closure_new(troupe_closure_body body, troupe_closure_body refuse) {
  struct troupe_closure *closure = calloc(1, sizeof *closure);
  if (closure != NULL) {
    atomic_init(&closure->body, body);
    closure->refuse = refuse;
  }
  return closure;
}

void troupe_closure_set_context(struct troupe_closure *closure, const void *context) { closure->context = context; }

void troupe_closure_free(struct troupe_closure *closure) { free(closure); }

void troupe_closure_set_body(struct troupe_closure *closure, troupe_closure_body body) { atomic_store(&closure->body, body); }

static void run_body(const struct troupe_closure *closure, void **arguments, void *result) {
  atomic_load_explicit(&closure->body, memory_order_acquire)(closure->context, arguments, result);
}

/*
 * The callbacks that a thread is in: hazard pointers (M. Michael, Hazard Pointers, 2004). Nothing is counted, since an atomic count
 * would cost as much as the call. To free a callback, a thread lets the system order a fence on all threads, and then searches the
 * records. A thread that ends leaves its record to the next that begins; no record is ever freed.
 */
struct thread {
  /* The callbacks that the thread is in, outermost first. */
  _Atomic(const void *) callbacks[DEPTH];
  /* The first of them that is free, and where there is no more room; only the thread itself looks. */
  _Atomic(const void *) *top, *end;
  /* How many callbacks the thread is in that found no room above. A closure that might be one of those is not freed. */
  atomic_int overflow;
  atomic_bool is_taken;
  /* The stack of the thread, once it has been asked for; 0 bytes if it is unknown. */
  bool knows_stack;
  void *stack;
  size_t stack_size;
  struct thread *next;
} __attribute__((aligned(128)));

_Thread_local void *troupe_callback_failure;

static _Atomic(struct thread *) threads;
static _Thread_local struct thread *own __attribute__((tls_model("initial-exec")));

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
/* Whether the system orders fences on all threads; otherwise each thread has its own. */
static bool has_barrier;

/* How many callbacks have been retired and not yet freed. */
static _Atomic(intptr_t) retired;
static _Atomic(void (*)(void)) sweeper;

static void give_back(void *thread) {
  own = NULL;
  atomic_store_explicit(&((struct thread *)thread)->is_taken, false, memory_order_release);
}

static void prepare(void) {
  has_barrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  if (pthread_key_create(&key, give_back) != 0) abort();
}

/* Takes a record for a thread that has none: one that a thread has left behind, or a new one. */
static __attribute__((noinline)) struct thread *take(void) {
  pthread_once(&once, prepare);
  struct thread *thread = atomic_load_explicit(&threads, memory_order_acquire);
  for (; thread != NULL; thread = thread->next) {
    bool expected = false;
    if (atomic_compare_exchange_strong(&thread->is_taken, &expected, true)) break;
  }
  if (thread == NULL) {
    thread = aligned_alloc(_Alignof(struct thread), sizeof *thread);
    if (thread == NULL) abort();
    *thread = (struct thread){.is_taken = true};
    thread->top = thread->callbacks;
    /* Without the system's fences everything goes the slow way. */
    thread->end = thread->callbacks + (has_barrier ? DEPTH : 0);
    thread->next = atomic_load_explicit(&threads, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&threads, &thread->next, thread)) {
    }
  }
  thread->knows_stack = false;
  thread->stack_size = 0;
  pthread_setspecific(key, thread);
  own = thread;
  return thread;
}

/* Frees the retired callbacks that no thread is in. */
static __attribute__((noinline)) void sweep_retired(void) {
  void (*sweep)(void) = atomic_load_explicit(&sweeper, memory_order_acquire);
  if (sweep != NULL) sweep();
}

/* Ends a recursion of callbacks before it overflows the stack. Always false on a stack of a coroutine. */
static bool is_short_of_stack(struct thread *thread) {
  if (!thread->knows_stack) {
    pthread_attr_t attributes;
    thread->knows_stack = true;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      if (pthread_attr_getstack(&attributes, &thread->stack, &thread->stack_size) != 0) thread->stack_size = 0;
      pthread_attr_destroy(&attributes);
    }
  }
  size_t rest = (uintptr_t)__builtin_frame_address(0) - (uintptr_t)thread->stack;
  return rest < thread->stack_size / 4 && rest < STACK_RESERVE;
}

/* Where there is no room in the thread's record. */
static __attribute__((noinline)) void run_slowly(struct thread *thread, const struct troupe_closure *callback,
                                                 void **arguments, void *result) {
  atomic_fetch_add(&thread->overflow, 1);
  if (is_short_of_stack(thread)) {
    callback->refuse(callback->context, arguments, result);
  } else {
    run_body(callback, arguments, result);
  }
  atomic_fetch_sub(&thread->overflow, 1);
  if (atomic_load(&retired) > 0) sweep_retired();
}

void troupe_callback_run(ffi_cif *interface, void *result, void **arguments, void *context) {
  (void)interface;
  const struct troupe_closure *callback = context;
  struct thread *thread = own;
  if (__builtin_expect(thread == NULL, 0)) thread = take();
  if (__builtin_expect(thread->top == thread->end, 0)) {
    run_slowly(thread, callback, arguments, result);
    return;
  }
  _Atomic(const void *) *place = thread->top;
  atomic_store_explicit(place, callback, memory_order_release);
  thread->top = place + 1;
  run_body(callback, arguments, result);
  thread->top = place;
  atomic_store_explicit(place, NULL, memory_order_release);
  /* From here on the callback may be freed. A thread that retires one counts it, orders a fence, and reads the record that has been
   * cleared here; so one of the two threads sees the other. */
  if (__builtin_expect(atomic_load_explicit(&retired, memory_order_relaxed) > 0, 0)) sweep_retired();
}

void troupe_callback_retire(void (*sweep)(void)) {
  atomic_store_explicit(&sweeper, sweep, memory_order_release);
  atomic_fetch_add(&retired, 1);
}

void troupe_callbacks_freed(intptr_t count) { atomic_fetch_sub(&retired, count); }

int troupe_callbacks_can_be_told(void) {
  pthread_once(&once, prepare);
  if (has_barrier) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  } else {
    atomic_thread_fence(memory_order_seq_cst);
  }
  struct thread *thread = atomic_load_explicit(&threads, memory_order_acquire);
  for (; thread != NULL; thread = thread->next) {
    if (atomic_load_explicit(&thread->overflow, memory_order_acquire) > 0) return 0;
  }
  return 1;
}

int troupe_callback_is_running(const struct troupe_closure *callback) {
  struct thread *thread = atomic_load_explicit(&threads, memory_order_acquire);
  for (; thread != NULL; thread = thread->next) {
    for (int index = 0; index < DEPTH; index++) {
      if (atomic_load_explicit(&thread->callbacks[index], memory_order_acquire) == callback) return 1;
    }
  }
  return 0;
}

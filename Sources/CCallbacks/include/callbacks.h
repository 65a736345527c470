/*
 * How libffi's closures reach Swift, and how a closure is not freed while a thread is in it. calls.h is for calls from Swift to C,
 * call_lock.h for functions that one thread at a time may run.
 *
 * In C, because a variable of the thread costs an instruction here and a call from Swift.
 */
#ifndef TROUPE_CALLBACKS_H
#define TROUPE_CALLBACKS_H

#include <ffi.h>
#include <stdint.h>

/* Swift's part of a closure: takes `context`, the address of each argument, and where the result goes. */
typedef void (*troupe_closure_body)(const void *_Nonnull context, void *_Nullable *_Nonnull arguments, void *_Nonnull result);

/* What libffi gets as a closure's context: the body, which changes once, and its context. */
struct troupe_closure;

/* Allocates it without a context; NULL without memory. troupe_closure_free frees it. A thread that is in so many callbacks that they have
 * used up its stack runs `refuse` instead of the body. */
struct troupe_closure *_Nullable troupe_closure_new(troupe_closure_body _Nonnull body, troupe_closure_body _Nonnull refuse);
void troupe_closure_set_context(struct troupe_closure *_Nonnull closure, const void *_Nonnull context);
void troupe_closure_free(struct troupe_closure *_Nonnull closure);

/* Replaces the body for calls that begin from now on. A thread may still be in the old one; see troupe_callback_is_running. */
void troupe_closure_set_body(struct troupe_closure *_Nonnull closure, troupe_closure_body _Nonnull body);

/* The function for ffi_prep_closure_loc; its context is a struct troupe_closure. */
void troupe_callback_run(ffi_cif *_Nullable interface, void *_Nullable result, void *_Nullable *_Nullable arguments,
                         void *_Nullable context);

/*
 * Counts a callback that is to be freed. The last thread in a retired callback calls `sweep` after it has left; a process has one such
 * function.
 */
void troupe_callback_retire(void (*_Nonnull sweep)(void));

/* Subtracts retired callbacks that have been freed. */
void troupe_callbacks_freed(intptr_t count);

/*
 * Whether troupe_callback_is_running is exact for the callbacks that have been retired up to now. Orders a fence on all threads; see
 * membarrier(2). Returns 0 while a thread is in more callbacks than its record has room for.
 */
int troupe_callbacks_can_be_told(void);

/* Whether a thread is in a callback that had been retired when troupe_callbacks_can_be_told was true. */
int troupe_callback_is_running(const struct troupe_closure *_Nonnull callback);

/* The place where a callback stores an error for the caller of the function that calls back. Only Swift uses it. */
extern _Thread_local void *_Nullable troupe_callback_failure __attribute__((tls_model("initial-exec")));

/* Sets the calling thread's place for an error; gives what it was. */
static inline void *_Nullable troupe_callback_set_failure(void *_Nullable place) {
  void *outer = troupe_callback_failure;
  troupe_callback_failure = place;
  return outer;
}

/* The calling thread's place for an error, or NULL. */
static inline void *_Nullable troupe_callback_get_failure(void) { return troupe_callback_failure; }

#endif /* TROUPE_CALLBACKS_H */

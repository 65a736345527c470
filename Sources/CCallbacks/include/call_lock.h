/* Recursive mutexes that a child of fork(2) finds unlocked. */
#ifndef TROUPE_CALL_LOCK_H
#define TROUPE_CALL_LOCK_H

#include <pthread.h>

/* Returns a new mutex; NULL without memory. */
pthread_mutex_t *_Nullable troupe_call_lock_new(void);

/* Frees a mutex that no thread holds. */
void troupe_call_lock_free(pthread_mutex_t *_Nonnull mutex);

/* Waits for the mutex for a time. Returns whether the thread has it then. */
int troupe_call_lock_wait(pthread_mutex_t *_Nonnull mutex, long milliseconds);

/* Takes the mutex if no other thread has it. Returns whether the thread has it then. */
int troupe_call_lock_try(pthread_mutex_t *_Nonnull mutex);

#endif /* TROUPE_CALL_LOCK_H */

#include <pthread.h>

#include "channel.h"

static uint32_t forks;

static void count_fork(void) { __atomic_add_fetch(&forks, 1, __ATOMIC_RELAXED); }

__attribute__((constructor)) static void begin(void) { pthread_atfork(NULL, NULL, count_fork); }

uint32_t troupe_channel_forks(void) { return __atomic_load_n(&forks, __ATOMIC_RELAXED); }

/*
 * For the handlers of fatal signals, which fill in a struct troupe_crash. Not public: Swift would take types of the C library, such as
 * timespec, for those of this module.
 */
#ifndef TROUPE_CRASH_HANDLER_H
#define TROUPE_CRASH_HANDLER_H

#include <signal.h>
#include <ucontext.h>

#include "crash.h"

/* Describes a signal without its calls: the only one is the interrupted instruction. For handlers of signals. */
void troupe_crash_describe(struct troupe_crash *crash, int signal, const siginfo_t *information, const ucontext_t *context);

/*
 * Finds the interrupted calls. For handlers of signals, after troupe_crash_prepare. May not return in a broken process, for example if the
 * signal interrupted the loader.
 */
void troupe_crash_find_calls(struct troupe_crash *crash, const ucontext_t *context);

/* Loads what troupe_crash_find_calls needs, and a handler must not load. */
void troupe_crash_prepare(void);

#endif

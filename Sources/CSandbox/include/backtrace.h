/* The calls that a signal interrupted. For the signal handlers of probes and workers. */
#ifndef TROUPE_BACKTRACE_H
#define TROUPE_BACKTRACE_H

#include <stdint.h>
#include <ucontext.h>

#include "instruction.h"

enum { troupe_most_calls = 48 };

/*
 * Writes the return addresses of the interrupted calls with those of the signal handler, the innermost first, and returns their number,
 * at most troupe_most_calls. Call troupe_prepare_calls first, outside of a signal handler. May not return in a broken process.
 */
uint32_t troupe_calls(const ucontext_t *context, uint64_t calls[]);
void troupe_prepare_calls(void);

#endif

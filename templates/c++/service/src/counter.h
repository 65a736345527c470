/*
 * The contract "@ID@.counter/1": an object that counts.
 *
 * A contract is a name, a table of functions, and these rules. A user of counters includes this header and resolves
 * COUNTER_CONTRACT; a provider registers factories with this contract and a counter_interface as the table.
 *
 * Ownership  The resolver owns a counter; the caller that resolved it releases it with troupe_resolver.release.
 * Threads    Each function may be called on any thread, also on several at once.
 * Versions   Functions are only appended. A user checks struct_size before it calls a later one.
 */
#ifndef COUNTER_H
#define COUNTER_H

#include <stdint.h>

#define COUNTER_CONTRACT "@ID@.counter/1"

typedef struct counter_interface {
  /* sizeof(counter_interface) in the version of the side that fills in the table. */
  uint32_t struct_size;
  uint32_t reserved;
  /* Returns the counter's number and adds 1. Does not fail. */
  int64_t (*next)(void *counter);
} counter_interface;

#endif

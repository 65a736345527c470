/*
 * counter.h - the contract "org.example.counter/1": an object that counts
 *
 * A contract is a name, a table of functions and the rules below. A user of counters includes this header and
 * resolves COUNTER_CONTRACT; a provider registers a factory with that contract and a counter_interface as its
 * table.
 *
 * Factory    Takes (int64_t start, int64_t step). The first number is `start`.
 * Ownership  The caller that resolved a counter owns it and releases it with troupe_resolver.release. The functions
 *            return nothing that must be freed.
 * Threads    As in troupe.h, [one caller]: a counter may move between threads, but only one may use it at a time. Two
 *            counters are independent of each other.
 * Versions   Functions are only appended. A user checks struct_size before it calls a later one.
 *
 * The header compiles as C11 and later and as C++11 and later.
 */
#ifndef ORG_EXAMPLE_COUNTER_H
#define ORG_EXAMPLE_COUNTER_H

#include <stdint.h>

#define COUNTER_CONTRACT "org.example.counter/1"

typedef struct counter_interface {
  /* sizeof(counter_interface) in the version of the side that fills in the table. */
  uint32_t struct_size;
  uint32_t reserved;
  /* Returns the counter's number and advances by the step. If the sum does not fit in 64 bits, the counter stays at
   * its last number and returns it again. Does not fail. [one caller] */
  int64_t (*next)(void *counter);
  /* Returns the next result of `next` without advancing. Does not fail. [one caller] */
  int64_t (*value)(const void *counter);
} counter_interface;

#endif /* ORG_EXAMPLE_COUNTER_H */

/*
 * counter.h - the contract "org.example.counter/1": an object that counts
 *
 * A contract is a name, a table of functions and the rules below. Whoever uses counters includes this header and
 * resolves COUNTER_CONTRACT; whoever offers one registers a factory with that contract and a counter_interface as its
 * table.
 *
 * Factory    Takes (int64_t start, int64_t step). The first number is `start`.
 * Ownership  A counter belongs to whoever resolved it, who gives it back with troupe_resolver.release. The functions
 *            give back nothing that must be freed.
 * Threads    As in troupe.h, [one caller]: a counter may move between threads, but is used from one at a time. Two
 *            counters are independent of each other.
 * Versions   Functions are only ever appended. A user checks struct_size before it calls one that came later.
 *
 * The header compiles as C11 and later and as C++11 and later.
 */
#ifndef ORG_EXAMPLE_COUNTER_H
#define ORG_EXAMPLE_COUNTER_H

#include <stdint.h>

#define COUNTER_CONTRACT "org.example.counter/1"

typedef struct counter_interface {
  /* sizeof(counter_interface), as the side that fills in the table knows it. */
  uint32_t struct_size;
  uint32_t reserved;
  /* The counter's number, after which the counter moves on by its step. Where the sum would not fit in 64 bits, the
   * counter stays at the last number before that and gives it again and again. Does not fail. [one caller] */
  int64_t (*next)(void *counter);
  /* The number that `next` would give, without moving on. Does not fail. [one caller] */
  int64_t (*value)(const void *counter);
} counter_interface;

#endif /* ORG_EXAMPLE_COUNTER_H */

/*
 * The system calls of Linux, with what the policy of a worker does with each. The one table behind the filter, the setting
 * `syscalls:NAME` and the names in messages.
 */
#ifndef TROUPE_SYSTEM_CALLS_H
#define TROUPE_SYSTEM_CALLS_H

#include <stddef.h>
#include <stdint.h>

/* What the filter does with a call. Only an allowed call runs. */
enum {
  TROUPE_CALL_ALLOWED,
  TROUPE_CALL_JUDGED,      /* allowed with some arguments */
  TROUPE_CALL_REFUSED,     /* fails with EPERM */
  TROUPE_CALL_UNSUPPORTED, /* fails with ENOTSUP */
  TROUPE_CALL_ABSENT,      /* fails with ENOSYS */
  TROUPE_CALL_ATTACK       /* sends SIGSYS, which ends the process */
};

struct troupe_system_call {
  const char *name; /* such as "openat"; NULL behind the last call */
  int32_t number;             /* -1 if this architecture, or the headers of the build, have no such call */
  int32_t verdict;
};

/* Returns the call at an index of the table. The allowed calls come first, the most frequent ones at the front. */
struct troupe_system_call troupe_system_call_at(size_t index);

/* Returns the name of a call of this architecture, such as "openat", or NULL. Allocates nothing. */
const char *troupe_system_call_name(int32_t number);

#endif

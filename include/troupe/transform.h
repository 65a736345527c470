/*
 * troupe/transform.h - the contract of streaming stages. Include <troupe.h>, which includes this header.
 */
#ifndef TROUPE_TRANSFORM_H
#define TROUPE_TRANSFORM_H

#include "types.h"

TROUPE_BEGIN_

/*
 * The streaming stage: takes bytes in pieces of any size and writes bytes to an output as they become available.
 * Contract "troupe.transform/1". The caller uses an instance on one thread at a time: `feed` any number of times, then
 * `finish` once. plugins/base64 is a complete example. After a failure the caller calls only `message`, and then resets or destroys
 * the instance. `bytes` is not NULL.
 */
#define TROUPE_CONTRACT_TRANSFORM "troupe.transform/1"
typedef struct TROUPE_SWIFT_NAME(CTransform) troupe_transform {
  uint32_t struct_size;
  uint32_t reserved;
  /* Takes `count` bytes, borrowed for the call, and writes the output that is ready. Returns TROUPE_OK or the kind of failure; if
   * output->write fails, returns that status. [one caller] */
  troupe_status (*TROUPE_CHECKED feed)(void *instance, const void *bytes, size_t count, const troupe_output *output);
  /* Ends the input: writes the rest of the output. Statuses as for `feed`. [one caller] */
  troupe_status (*TROUPE_CHECKED finish)(void *instance, const troupe_output *output);
  /* Returns the reason why the last `feed` or `finish` failed, owned by the instance and valid until the next call on it, or
   * NULL. The member itself may be NULL. [one caller] */
  const char *TROUPE_NULLABLE (*TROUPE_NULLABLE message)(void *instance);
  /* Makes the instance as it was when it was created, in any state, so that the next `feed` begins another input. Returns TROUPE_OK, or
   * another status, after which the caller destroys the instance. The member itself may be NULL: the caller then makes another
   * instance for each input. Since 1.2. [one caller] */
  troupe_status (*TROUPE_NULLABLE reset)(void *instance);
} troupe_transform;

/* The output of a transform. Valid for the call that it was passed to. */
struct troupe_output {
  uint32_t struct_size;
  uint32_t reserved;
  /* Reserved for the host. */
  void *context;
  /* Takes `count` bytes, borrowed for the call; `count` may be zero. Returns TROUPE_OK, or a status with which the transform then
   * stops and which it returns. A refused write fails the stream even if the transform ignores the status. [one caller] */
  troupe_status (*write)(const troupe_output *TROUPE_CHECKED output, const void *TROUPE_CHECKED bytes, size_t count);
};

TROUPE_END_

#endif /* TROUPE_TRANSFORM_H */

/*
 * Loops that call a C function once for each row of some columns, bits of bitmaps that threads share, and threads for a call.
 *
 * In C, because Swift cannot call a function through a pointer with a type that it does not know at compile time, and because a loop
 * in Swift has checks and calls between two calls of the function that cost as much as the function.
 */
#ifndef TROUPE_COLUMNS_H
#define TROUPE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#pragma clang assume_nonnull begin

/* The type of the values of a parameter or result. A pointer is an unsigned 64-bit integer. */
enum columns_kind {
  COLUMNS_VOID,
  COLUMNS_BOOL,
  COLUMNS_INT8,
  COLUMNS_INT16,
  COLUMNS_INT32,
  COLUMNS_INT64,
  COLUMNS_UINT8,
  COLUMNS_UINT16,
  COLUMNS_UINT32,
  COLUMNS_UINT64,
  COLUMNS_FLOAT,
  COLUMNS_DOUBLE
};

/* The greatest number of parameters of a function that has a loop. */
#define COLUMNS_MAXIMUM 8

/* A function, for a loop. Constant, so that the loop may run on any thread. */
struct columns_function {
  const void *address;
  uint8_t parameter_count;
  /* An enum columns_kind, as the parameters. */
  uint8_t result;
  uint8_t parameters[COLUMNS_MAXIMUM];
};

/* The form of a loop is that of NumPy's ufuncs: `args` are the addresses of the inputs and then of the output, `dimensions[0]` is the
 * number of rows, `steps` are the strides in bytes. The last argument is the function. */
typedef void (*columns_loop)(char *_Nonnull *_Nonnull args, const intptr_t *dimensions, const intptr_t *steps,
                             void *_Nullable function);

/* Returns the loop for functions of a type; NULL if there is none on this machine. */
columns_loop _Nullable columns_loop_for(const struct columns_function *function);

/*
 * Calls `body` once with each index below `count`: with 0 on the caller's thread, with each other one on a thread of its own, or, if the
 * system has no more threads, on the caller's. Returns when all calls have returned.
 */
void columns_run(size_t count, void (*body)(void *context, size_t index), void *context);

/* Returns up to 64 bits of a bitmap, the least significant bit of the first byte first. The others of the result are 0. Reads no byte
 * that has none of the bits. */
static inline uint64_t columns_bits(const uint8_t *bitmap, size_t offset, size_t count) {
  const uint8_t *bytes = bitmap + offset / 8;
  size_t shift = offset % 8, size = (shift + count + 7) / 8;
  uint64_t low = 0;
  memcpy(&low, bytes, size < 8 ? size : 8);
  uint64_t bits = low >> shift;
  if (size > 8) bits |= (uint64_t)bytes[8] << (64 - shift);
  return count < 64 ? bits & ((UINT64_C(1) << count) - 1) : bits;
}

/* Stores up to 64 bits in a bitmap, and leaves its other bits. */
static inline void columns_store_bits(uint8_t *bitmap, size_t offset, size_t count, uint64_t bits) {
  if (offset % 8 == 0 && count == 64) {
    memcpy(bitmap + offset / 8, &bits, 8);
    return;
  }
  for (size_t index = 0; index < count; index++) {
    uint8_t *byte = bitmap + (offset + index) / 8, mask = (uint8_t)(1 << (offset + index) % 8);
    *byte = (uint8_t)(bits >> index & 1 ? *byte | mask : *byte & ~mask);
  }
}

/* Clears a bit of a bitmap. Other threads may clear its neighbors at the same time. */
static inline void columns_clear_bit(uint8_t *bitmap, size_t index) {
  __atomic_fetch_and(bitmap + index / 8, (uint8_t)~(1 << index % 8), __ATOMIC_RELAXED);
}

#pragma clang assume_nonnull end

#endif /* TROUPE_COLUMNS_H */

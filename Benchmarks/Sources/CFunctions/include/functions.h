/* C functions to call, and what it costs C to call them. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <stdint.h>

/* 32 bytes, passed in memory. */
struct quad {
  double a, b;
  int64_t c, d;
};

double scale(double x, int32_t count);
int64_t sum(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g, int64_t h);
struct quad turn(struct quad quad);
int32_t apply(int32_t (*function)(int32_t, int32_t), int32_t a, int32_t b);

/* Each gives the nanoseconds of one call, the best of several rounds. */
double direct_scale(void);
double ffi_scale(void);
double ffi_sum(void);
double ffi_turn(void);
double ffi_closure_round_trip(void);

#endif

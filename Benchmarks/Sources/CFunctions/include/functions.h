/* C functions to call, and what it costs C to call them. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

/* 32 bytes, passed in memory. */
struct quad {
  double a, b;
  int64_t c, d;
};

double scale(double x, int32_t count);
double multiply_numbers(double a, double b);
double sum_numbers(const double *numbers, size_t count);
int64_t sum(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g, int64_t h);
struct quad turn(struct quad quad);
int32_t apply(int32_t (*function)(int32_t, int32_t), int32_t a, int32_t b);

/* Each gives the nanoseconds of one call, the best of several rounds. */
double direct_scale(void);
double ffi_scale(void);
double ffi_sum(void);
double ffi_turn(void);
double ffi_closure_round_trip(void);
/* From here into a function that is called back, and back. */
double round_trip(int32_t (*function)(int32_t, int32_t));

/* Calls a function for each row, as a loop of NumPy does. */
void call_rows(double (*function)(double, double), const double *a, const double *b, double *results, size_t count);
/* Multiplies the numbers of each row, with vector instructions. */
void multiply_rows(const double *a, const double *b, double *results, size_t count);

/* Opens a plugin's library, and calls its entry with a registrar that takes everything, if wanted; gives whether that went well. */
int open_library(const char *path, int enters);

/* The nanoseconds of one call of a function of two numbers: a direct one, one through the address that troupe_function_address returns,
 * and troupe_function_call. */
struct host_times {
  double direct, address, call;
};
/* Measures the calls of the function "area" of the plugins in a directory, the best of several rounds; -1 if there is none. */
struct host_times measure_host(const char *directory);

/* Runs a program with up to three arguments, its output thrown away; gives the nanoseconds from start to end, or -1 if it failed. */
double run_program(const char *path, const char *first, const char *second, const char *third);

#endif

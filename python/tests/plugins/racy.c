/* A library that is not thread-safe, for adoption: its functions store what they work on in variables that all threads share. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile double shared;
static char text[64];

/* Returns its argument, unless another thread calls it meanwhile. */
double racy(double value) {
  shared = value;
  for (int round = 0; round < 20; round++) sched_yield();
  return shared;
}

/* Returns a copy of its argument, in memory that the next call overwrites. */
const char *racy_text(const char *argument) {
  snprintf(text, sizeof text, "%s", argument);
  for (int round = 0; round < 20; round++) sched_yield();
  return text;
}

/* Returns what the callback returns for the argument, plus the argument, which it keeps in a shared variable meanwhile. */
double racy_callback(double (*callback)(double), double value) {
  shared = value;
  double result = callback(value);
  return result + shared;
}

/* Takes a millisecond. Sends SIGINT to its thread for 0. */
double slow(double value) {
  if (value == 0) raise(SIGINT);
  usleep(1000);
  return value;
}

long slow_with_rule(long value) { return (long)slow((double)value); }

/* A library that wants to be started, with variables, macros that are other names, and functions that the header defines. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include <stddef.h>

typedef struct counter counter;
typedef unsigned char counter_key[4];
struct counter_limits {
  int least, greatest;
  enum { COUNTERS_WRAP = 1, COUNTERS_STOP = 2 } mode;
};
typedef enum { COUNTERS_RED = 1, COUNTERS_BLUE = 4 } counter_color;

extern const char *const counters_version;
extern struct counter_limits counters_limits;
extern const int counters_table[3];
extern const char counters_name[];
extern const char *const counters_words[2][1];
extern double counters_unknown[];
extern const char counters_letters[2][4];
extern int __counters_live;
#define counters_live __counters_live

int counters_init(int least, const char *name);
int counters_end(void);

counter *counter_new(int value);
int counter_open(int value, counter **result);
void counter_free(counter *counter);
int counter_value(const counter *counter);
#define counter_add __counter_add
int counter_add(counter *counter, int number);
#define COUNTERS(name) __counter_##name
#define counter_scale(object, factor) COUNTERS(scale)(object, factor)
int __counter_scale(counter *counter, int factor);
#define counter_total counter_value

int counters_hash(const counter_key key, const double weights[static 2]);
#define COUNTERS_NAME "counters"
int counters_length(const char *text);
int counters_flags(unsigned char flags, counter_color color);

static inline int counter_twice(const counter *counter) { return 2 * counter_value(counter); }
static inline int counters_apply(int (*function)(int), int number) { return function(number); }

#endif

#include "counters.h"

#include <stdlib.h>
#include <string.h>

struct counter {
  int value;
};

const char *const counters_version = "2.1";
struct counter_limits counters_limits = {0, 100, COUNTERS_STOP};
const int counters_table[3] = {1, 2, 3};
const char counters_name[] = "counters of all kinds";
const char *const counters_words[2][1] = {{"one"}, {"two"}};
double counters_unknown[] = {0.5};
const char counters_letters[2][4] = {"abc", "def"};
int __counters_live;

int counters_init(int least, const char *name) {
  if (least < 0) return -1;
  counters_limits.least = least + !name;
  return 0;
}
int counters_end(void) { return counters_limits.least = 0; }

counter *counter_new(int value) {
  counter *made = malloc(sizeof *made);
  made->value = value;
  __counters_live++;
  return made;
}
int counter_open(int value, counter **result) { return *result = counter_new(value), 0; }
void counter_free(counter *counter) {
  __counters_live--;
  free(counter);
}
int counter_value(const counter *counter) { return counter->value; }
int counter_add(counter *counter, int number) { return counter->value += number; }
int __counter_scale(counter *counter, int factor) { return counter->value *= factor; }

int counters_hash(const counter_key key, const double weights[static 2]) {
  return (key[0] + key[3]) * (int)weights[1];
}
int counters_length(const char *text) { return (int)strlen(text); }
int counters_flags(unsigned char flags, counter_color color) { return flags * 10 + color; }

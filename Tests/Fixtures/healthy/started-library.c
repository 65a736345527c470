/* A library that wants calls at its start and its end, and variables, for adoption. */
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int started_count;
EXPORT const char *const started_name = "started";
EXPORT const char *started_missing;
EXPORT const struct started_point {
  double x;
  short y;
} started_origin = {1.5, -2};
EXPORT const unsigned char started_narrow = 200;
EXPORT const short started_numbers[3] = {1, -2, 3};
EXPORT const char started_text[] = "a text";
EXPORT const char *const started_texts[2] = {"one", "two"};
EXPORT const struct started_point started_points[1] = {{0.5, 7}};
static int level;
int started_level(void);
EXPORT const struct started_list {
  const char *name;
  int (*level)(void);
  const struct started_list *next;
} started_last = {"last", started_level, 0};
EXPORT struct started_list started_list = {"list", started_level, &started_last};

EXPORT int started_init(int first, const char *name) {
  if (first < 0) return first;
  level = first + !name;
  started_count++;
  return 1;
}

EXPORT int started_level(void) { return level; }

EXPORT int started_end(const char *path) {
  FILE *file = fopen(path, "a");
  if (!file) return -1;
  fprintf(file, "%d\n", level);
  fclose(file);
  return 0;
}

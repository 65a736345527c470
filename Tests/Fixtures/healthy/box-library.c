/* A library that knows nothing of Troupe, for a file to adopt. */
#include <stdint.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

static int live;

EXPORT int box_live(void) { return live; }

EXPORT int64_t *box_new(int64_t content) {
  int64_t *box = malloc(sizeof *box);
  if (!box) return NULL;
  *box = content;
  live++;
  return box;
}

EXPORT void box_free(int64_t *box) {
  live--;
  free(box);
}

EXPORT int64_t box_twice(int64_t number) { return 2 * number; }

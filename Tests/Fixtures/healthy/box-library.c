/* A library without any use of Troupe, for adoption. */
#include <errno.h>
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

/* Boxes that are made although an error occurs. */

static void (*listener)(int64_t);

EXPORT void box_listen(void (*function)(int64_t)) { listener = function; }

EXPORT int64_t *box_told(int64_t content) {
  if (listener) listener(content);
  return box_new(content);
}

EXPORT int64_t *box_failed(int64_t content) {
  int64_t *box = box_new(content);
  errno = ENOSPC;
  return box;
}

EXPORT int64_t *box_named(int64_t content, const char **name) {
  *name = content < 0 ? "caf\xe9" : "box";
  return box_new(content);
}

EXPORT int box_released;
EXPORT char *box_text(void) { return calloc(1, 1); }

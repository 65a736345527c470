/* Functions whose results the caller owns or borrows. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { most = 64 };
static void *kept[most];
static int mistakes, released;

static void *keep(void *pointer) {
  for (int i = 0; i < most; i++) if (!kept[i]) return kept[i] = pointer;
  abort();
}
void release(void *pointer) {
  for (int i = 0; i < most; i++) {
    if (pointer && kept[i] == pointer) { kept[i] = NULL; released++; free(pointer); return; }
  }
  mistakes++;
}
int remaining(void) { int n = 0; for (int i = 0; i < most; i++) n += kept[i] != NULL; return n; }
int take_mistakes(void) { int n = mistakes; mistakes = 0; return n; }
int take_released(void) { int n = released; released = 0; return n; }

static char *copy(const char *text) { return text ? keep(strdup(text)) : NULL; }

char *text(const char *text) { return copy(text); }
char *not_utf8(void) { return copy("caf\xe9"); }
void texts(char **first, char **second) { *first = copy("first"); *second = copy("second"); }
int names(size_t count, char **names, size_t *found) {
  *found = count > 2 ? 2 : count;
  for (size_t i = 0; i < *found; i++) names[i] = copy(i ? "b" : "a");
  return (int)*found;
}
uint16_t *squares(size_t count, size_t *length) {
  *length = count;
  if (count == 0) return NULL;
  uint16_t *squares = keep(malloc(count * sizeof *squares));
  for (size_t i = 0; i < count; i++) squares[i] = (uint16_t)(i * i);
  return squares;
}
int *wrong_length(int *length) { *length = -1; return keep(malloc(4)); }
void change(int change, char **text) { if (change) *text = copy("changed"); }
void skip(int count, char **text) { *text += count; }
void ignore(int number, char **texts, size_t count) {}
char *text_and_error(int code) { errno = code; return copy("text"); }
char *text_after(int (*callback)(int)) { callback(1); return copy("text"); }

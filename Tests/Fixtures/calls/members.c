/* Structs with buffers, pointers and handles as members. */
#include <stdlib.h>
struct stream {
  const char *next_in;
  unsigned int avail_in;
  void *state;
  void *(*zalloc)(void *opaque, unsigned int items, unsigned int size);
  void (*zfree)(void *opaque, void *address);
  void *opaque;
};
static void *allocate(void *opaque, unsigned items, unsigned size) { (void)opaque; return calloc(items, size); }
static void release(void *opaque, void *address) { (void)opaque; free(address); }
int begin(struct stream *s) {
  if (!s->zalloc) s->zalloc = allocate;
  if (!s->zfree) s->zfree = release;
  s->state = s->zalloc(s->opaque, 3, 40);
  return s->state ? 0 : -4;
}
int end(struct stream *s) {
  s->zfree(s->opaque, s->state);
  s->state = NULL;
  return (int)s->avail_in;
}

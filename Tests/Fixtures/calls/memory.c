/* Structs that live at one address for several calls. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
struct counter { int steps; double total; const char *label; double (*scale)(double); };
int counter_add(struct counter *c, double x) { c->steps++; c->total += c->scale ? c->scale(x) : x; return c->steps; }
size_t counter_label(const struct counter *c) { return c->label ? strlen(c->label) : 0; }
struct piece { void *base; size_t size; };
long pieces_sum(const struct piece *p, int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) for (size_t j = 0; j < p[i].size; j++) sum += ((unsigned char *)p[i].base)[j];
  return sum;
}
void piece_advance(struct piece *p) { p->base = (char *)p->base + 1; p->size--; }
struct message { int count; short values[]; };
int message_sum(struct message *m) { int s = 0; for (int i = 0; i < m->count; i++) s += m->values[i]; return s; }
int table[3] = {5, 6, 7};
const char *title = "a title";
struct _IO_FILE;
extern struct _IO_FILE *stdout;
void fill(int *xs, int n) { for (int i = 0; i < n; i++) xs[i] = i * i; }

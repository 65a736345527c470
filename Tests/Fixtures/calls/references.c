/* Structs that C keeps, walks and changes, and pointers that say nothing of their targets. */
#include <stdlib.h>
#include <string.h>
struct base { int type; unsigned long count; };
struct object { struct base base; long value; };
struct base *object_new(long value) {
  struct object *o = calloc(1, sizeof *o);
  o->base.type = 1; o->base.count = 1; o->value = value;
  return &o->base;
}
long object_value(const struct base *object) { return ((const struct object *)object)->value; }
struct base *object_retain(struct base *object) { object->count++; return object; }
void object_free(void *object) { free(object); }

struct node { int value; const char *name; struct node *next; void *file; };
/* From a pool, which is never freed. */
struct node *node_push(struct node *next, int value, const char *name) {
  static struct node pool[64];
  static char names[64][16];
  static int used;
  int index = __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED);
  if (name) strcpy(names[index], name);
  pool[index] = (struct node){value, name ? names[index] : NULL, next, NULL};
  return &pool[index];
}
size_t node_letters(const struct node *list) {
  size_t sum = 0;
  for (; list; list = list->next) sum += strlen(list->name);
  return sum;
}

struct pair { int x, y; };
long pair_sum(const struct pair *pairs, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) sum += pairs[i].x + pairs[i].y;
  return sum;
}
int pair_swap(struct pair *pair) { int x = pair->x; pair->x = pair->y; pair->y = x; return pair->x + pair->y; }

size_t text_length(const char *text) { return strlen(text); }
struct t { const char *text; };
size_t text_of(const struct t *t) { return strlen(t->text); }

void fill(int *p, int n, int v) { for (int i = 0; i < n; i++) p[i] = v; }
int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
void first_letter(char *s) { s[0] = 'Q'; }
void set_bytes(void *p, size_t n) { memset(p, 'Z', n); }
unsigned checksum(const unsigned char *text, unsigned count) {
  unsigned s = 0;
  for (unsigned i = 0; i < count; i++) s += text[i];
  return s;
}

struct state { int x, pad[7]; };
void state_start(struct state *state, int x) { state->x = x; }
int state_value(const struct state *state) { return state->x; }

static const char *text;
void keep_text(const char *t) { text = t; }
const char *kept_text(void) { return text; }
static int (*function)(int);
void keep_function(int (*f)(int)) { function = f; }
int call_function(int x) { return function(x); }

struct table { int (*get)(int); int bias; };
struct context { const struct table *table; };
struct context *context_new(const struct table *table) {
  struct context *c = malloc(sizeof *c);
  c->table = table;
  return c;
}
void context_change(struct context *c, const struct table *table) { c->table = table; }
int context_run(struct context *c, int x) { return c->table->bias + x; }
void context_free(struct context *c) { free(c); }
static int (*late_function)(int);
void keep_late_function(int (*f)(int)) { late_function = f; }
int call_late_function(int x) { return late_function(x); }
static int (*earliest_function)(int);
void keep_earliest_function(int (*f)(int)) { earliest_function = f; }
int call_earliest_function(int x) { return earliest_function(x); }
void take_function(int (*f)(int)) { (void)f; }

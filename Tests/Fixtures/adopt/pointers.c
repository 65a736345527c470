#include "pointers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

int mixed_number(struct mixed m) { return m.low * 1000 + m.high; }
int overlaid_number(struct overlaid o) { return o.x * 10 + o.y; }
int nested_number(struct nested n) { return n.x * 100 + n.y * 10 + n.z; }

struct integer { base base; long value; };
base *base_integer(long value) {
  struct integer *i = calloc(1, sizeof *i);
  i->base.type = 1; i->base.references = 1; i->value = value;
  return &i->base;
}
long base_value(const base *object) { return ((const struct integer *)object)->value; }
base *base_retain(base *object) { object->references++; return object; }
void base_release(base *object) { free(object); }

struct document *document_parse(const char *text) {
  struct document *d = calloc(1, sizeof *d);
  d->version = (int)strlen(text);
  return d;
}
int document_version(const struct document *document) { return document->version; }

static const struct method method = {"default", 4};
const struct method *method_default(void) { return &method; }
static const struct method latin = {"caf\xe9", 4};
const struct method *method_latin(void) { return &latin; }
struct generator *generator_new(const struct method *m) {
  struct generator *g = calloc(1, sizeof *g);
  g->method = m;
  return g;
}
const char *generator_name(const struct generator *generator) { return generator->method->name; }

struct context { const struct operations *operations; };
context *context_new(const struct operations *operations) {
  context *c = malloc(sizeof *c);
  c->operations = operations;
  return c;
}
int context_run(context *c, int x) { return c->operations->bias + (c->operations->get ? c->operations->get(x) : x); }
void context_free(context *c) { free(c); }
int twice(int x) { return 2 * x; }
long pairs_sum(const struct pair *pairs, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) sum += pairs[i].x + pairs[i].y;
  return sum;
}
long pairs_sum_to_zero(const struct pair *pairs) {
  long sum = 0;
  for (; pairs->x || pairs->y; pairs++) sum += pairs->x + pairs->y;
  return sum;
}
struct link *link_push(struct link *head, int value) {
  struct link *l = malloc(sizeof *l);
  l->value = value; l->next = head;
  return l;
}
struct link *link_invalid(void) { return (struct link *)16; }
int link_count(const struct link *head) {
  int count = 0;
  for (; head; head = head->next) count++;
  return count;
}

void numbers_fill(int *numbers, int count, int value) { for (int i = 0; i < count; i++) numbers[i] = value; }
int numbers_sum(const int *numbers, int count) {
  int sum = 0;
  for (int i = 0; i < count; i++) sum += numbers[i];
  return sum;
}
double reals_sum(const double *x, unsigned long n) {
  double sum = 0;
  for (unsigned long i = 0; i < n; i++) sum += x[i];
  return sum;
}
void reals_double(double *x, unsigned long n) { for (unsigned long i = 0; i < n; i++) x[i] *= 2; }
void bytes_set(void *bytes, unsigned long count) { memset(bytes, 'Z', count); }
void text_change(char *text) { text[0] = 'Q'; }
double measure_sum(struct measure *m) { return m->a + m->b; }
double measure_constant_sum(const struct measure *m) { return m->a + m->b; }

static const char *kept_text;
static const unsigned char *kept_data;
static handler kept_handler;
static void *kept_user;
void text_keep(const char *text) { kept_text = text; }
const char *text_kept(void) { return kept_text; }
void data_keep(const unsigned char *data, unsigned long count) { kept_data = count ? data : NULL; }
unsigned char data_first(void) { return kept_data[0]; }
void handler_register(handler h, void *user) { kept_handler = h; kept_user = user; }
int handler_fire(int x) { return kept_handler ? kept_handler(x, kept_user) : -1; }
static void *fire(void *x) {
  *(int *)x = handler_fire(*(int *)x);
  return NULL;
}
/* On a thread of its own. */
int handler_fire_elsewhere(int x) {
  pthread_t thread;
  return pthread_create(&thread, NULL, fire, &x) == 0 && pthread_join(thread, NULL) == 0 ? x : -2;
}
int handler_is_null(handler h) { return h == NULL; }
int handler_triple(int x, void *user) { return user ? 0 : 3 * x; }

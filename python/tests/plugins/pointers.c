/* Structs behind pointers, pointers that say nothing of their targets, and callbacks that C keeps. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.pointers", "Pointers", "1.0.0")

struct node {
  uint32_t value;
  const char *name;
  struct node *next;
};
TROUPE_EXPORT void node_free_of_pointers(struct node *node) { free(node); }
static struct node *node_new(struct node *next, uint32_t value) {
  struct node *node = calloc(1, sizeof *node);
  if (node) node->value = value, node->next = next;
  return node;
}
static uint32_t node_sum(const struct node *node) {
  uint32_t sum = 0;
  for (; node; node = node->next) sum += node->value;
  return sum;
}
struct pair {
  int32_t x, y;
};
static int32_t pairs_sum(const struct pair *pairs, int32_t count) {
  int32_t sum = 0;
  for (int32_t i = 0; i < count; i++) sum += pairs[i].x + pairs[i].y;
  return sum;
}
static int32_t pair_swap(struct pair *pair) {
  int32_t x = pair->x;
  pair->x = pair->y;
  pair->y = x;
  return pair->x;
}
static double total(const double *values, int32_t count) {
  double sum = 0;
  for (int32_t i = 0; i < count; i++) sum += values[i];
  return sum;
}
static void set_all(double *values, int32_t count, double value) {
  for (int32_t i = 0; i < count; i++) values[i] = value;
}
static int32_t split(double number, int32_t *whole, double *rest) {
  *whole = (int32_t)number;
  *rest = number - *whole;
  return *whole != 0;
}
static int32_t split_unnamed(double number, int32_t *whole, double *rest) { return split(number, whole, rest); }
static uint32_t checksum(const unsigned char *bytes, uint32_t count) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < count; i++) sum += bytes[i];
  return sum;
}
static void fill(void *bytes, size_t count) { memset(bytes, 'Z', count); }
static void first_letter(char *text) { text[0] = 'Q'; }
static size_t letters(const char *const *texts, size_t count) {
  size_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += texts[i] ? strlen(texts[i]) : 100;
  return sum;
}
static int32_t (*kept)(int32_t);
static void keep(int32_t (*function)(int32_t)) { kept = function; }
static int32_t call_kept(int32_t number, const char *text) { return text ? kept(number) : -1; }

#define NODE "struct node { uint32_t value; const char *name; struct node *next; }; "
#define PAIR "struct pair { int32_t x, y; }; "
#define FUNCTION(number, symbol, text)                                                                            \
  {.struct_size = sizeof(troupe_factory), .uuid = "90190000-0000-4000-8000-0000000000" number, .name = #symbol, \
   .signature = text, .function = TROUPE_FUNCTION(symbol), .tags = tags, .tag_count = 1}
static const char *const tags[] = {"pointers"};
static const troupe_factory factories[] = {
  FUNCTION("01", node_new, NODE "owned(node_free_of_pointers) borrows(next) struct node *(struct node *next, uint32_t value)"),
  FUNCTION("02", node_sum, NODE "uint32_t (const struct node *node)"),
  FUNCTION("03", pairs_sum, PAIR "int32_t (const struct pair *pairs, int32_t count)"),
  FUNCTION("04", pair_swap, PAIR "int32_t (struct pair *pair)"),
  FUNCTION("05", total, "double (const double *values, int32_t count)"),
  FUNCTION("06", set_all, "void (double *values, int32_t count, double value)"),
  FUNCTION("07", split, "int32_t (double number, int32_t *whole, double *rest)"),
  FUNCTION("08", checksum, "uint32_t (const unsigned char *bytes, uint32_t count)"),
  FUNCTION("09", fill, "void (void *bytes, size_t count)"),
  FUNCTION("0a", first_letter, "void (char *text)"),
  FUNCTION("0b", letters, "size_t (const char *const *texts, size_t count)"),
  FUNCTION("0c", keep, "void (int32_t (*function)(int32_t number))"),
  FUNCTION("0d", call_kept, "int32_t (int32_t number, const char *text)"),
  FUNCTION("0e", split_unnamed, "int32_t (double, int32_t *, double *result)"),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  for (size_t i = 0; i < sizeof factories / sizeof *factories; i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

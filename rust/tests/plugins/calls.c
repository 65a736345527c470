/* Functions with each kind of parameter and result. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.calls", "Calls", "1.0.0")

struct point {
  double x, y;
};
struct box {
  int value;
};

static int living_boxes;

static double sum(const double *numbers, size_t count) {
  double total = 0;
  for (size_t index = 0; index < count; index++) total += numbers[index];
  return total;
}
static double mean(const double *numbers, int count) { return sum(numbers, (size_t)count) / count; }
static void scale(double *numbers, size_t count, double factor) {
  for (size_t index = 0; index < count; index++) numbers[index] *= factor;
}
static void fill(uint8_t *bytes, size_t count) {
  for (size_t index = 0; index < count; index++) bytes[index] = (uint8_t)index;
}
static int split(double number, int *whole, double *rest) {
  *whole = (int)number;
  *rest = number - *whole;
  return *whole % 2;
}
static void increment(int *number) { ++*number; }
static struct point mirrored(struct point point) { return (struct point){point.y, point.x}; }
static double product(const struct point *point) { return point->x * point->y; }
static double sum_of_points(const struct point *points, size_t count) {
  double total = 0;
  for (size_t index = 0; index < count; index++) total += points[index].x + points[index].y;
  return total;
}
static char *greeting(const char *name) {
  char *text = malloc(100);
  if (text) snprintf(text, 100, "hello %s", name);
  return text;
}
static const char *season(int number) { return number == 1 ? "spring" : NULL; }
static size_t length(const char *text) { return text == NULL ? 99 : strlen(text); }
static int first_byte(const char *text) { return text[0]; }
static int apply(int (*function)(int), int number) { return function(function(number)); }

struct job {
  int (*function)(int);
  int result;
};
static void *work(void *context) {
  struct job *job = context;
  job->result = job->function(20);
  return NULL;
}
static int apply_on_thread(int (*function)(int)) {
  struct job job = {function, 0};
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, &job) != 0) return -1;
  pthread_join(thread, NULL);
  return job.result;
}
static double product_of_result(struct point (*function)(struct point), double x, double y) {
  struct point result = function((struct point){x, y});
  return result.x * result.y;
}

static struct box *box_new(int value) {
  struct box *box = malloc(sizeof *box);
  if (box) *box = (struct box){value}, living_boxes++;
  return box;
}
static int box_value(const struct box *box) { return box->value; }
TROUPE_EXPORT void box_free(struct box *box) {
  free(box);
  living_boxes--;
}
static int box_count(void) { return living_boxes; }

static int half(int number) {
  if (number % 2 == 0) return number / 2;
  errno = EDOM;
  return -1;
}
static const double *second(const double *numbers) { return numbers + 1; }
static void *same(void *pointer) { return pointer; }
static bool negated(bool value) { return !value; }
static float halved(float number) { return number / 2; }
static int64_t weighted(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int64_t g, uint64_t h) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * (int64_t)f + 7 * g + 8 * (int64_t)h;
}
enum color { RED, GREEN = 5 };
static enum color other(enum color color) { return color == RED ? GREEN : RED; }
static void nothing(void) {}
static const void *address_of(const double *numbers, size_t count) { return count ? numbers : NULL; }
static int total(int count, const int *numbers) {
  int result = 0;
  for (int index = 0; index < count; index++) result += numbers[index];
  return result;
}

struct node {
  unsigned value;
  const char *name;
  struct node *next;
};
TROUPE_EXPORT void node_free(struct node *node) { free(node); }
static struct node *node_new(struct node *next, unsigned value) {
  struct node *node = calloc(1, sizeof *node);
  if (node) node->value = value, node->next = next;
  return node;
}
static unsigned node_sum(const struct node *node) {
  unsigned sum = 0;
  for (; node; node = node->next) sum += node->value;
  return sum;
}
static int set_all(int *numbers, int count, int value) {
  for (int i = 0; i < count; i++) numbers[i] = value;
  return count;
}
static void set_first(int *numbers) { numbers[0] = 7; }
static int (*kept)(int number);
static void keep(int (*function)(int number)) { kept = function; }
static int call_kept(int number) { return kept(number); }

#define NODE "struct node { unsigned value; const char *name; struct node *next; }; "
#define FUNCTION(name, signature) {#name, signature, TROUPE_FUNCTION(name)}
static const struct {
  const char *name, *signature;
  troupe_function function;
} functions[] = {
  FUNCTION(sum, "double (const double numbers[count], size_t count)"),
  FUNCTION(mean, "double (const double numbers[count], int count)"),
  FUNCTION(scale, "void (double numbers[count], size_t count, double factor)"),
  FUNCTION(fill, "void (out uint8_t bytes[count], size_t count)"),
  FUNCTION(split, "int (double number, out int *whole, out double *rest)"),
  FUNCTION(increment, "void (inout int *number)"),
  FUNCTION(mirrored, "struct point { double x, y; }; struct point (struct point point)"),
  FUNCTION(product, "struct point { double x, y; }; double (const struct point *point)"),
  FUNCTION(sum_of_points, "struct point { double x, y; }; double (const struct point points[count], size_t count)"),
  FUNCTION(greeting, "owned(free) char *(string name)"),
  FUNCTION(season, "string (int number)"),
  FUNCTION(length, "size_t (string text)"),
  FUNCTION(first_byte, "int (const char *text)"),
  FUNCTION(apply, "int (int (*function)(int), int number)"),
  FUNCTION(apply_on_thread, "int (int (*function)(int))"),
  FUNCTION(product_of_result,
           "struct point { double x, y; }; double (struct point (*function)(struct point), double x, double y)"),
  FUNCTION(box_new, "struct box; owned(box_free) struct box *(int value)"),
  FUNCTION(box_value, "struct box; int (const struct box *box)"),
  FUNCTION(box_count, "int (void)"),
  FUNCTION(node_new, NODE "owned(node_free) borrows(next) struct node *(struct node *next, unsigned value)"),
  FUNCTION(node_sum, NODE "unsigned (const struct node *node)"),
  FUNCTION(set_all, "int (int *numbers, int count, int value)"),
  FUNCTION(set_first, "void (int *numbers)"),
  FUNCTION(keep, "void (int (*function)(int number))"),
  FUNCTION(call_kept, "int (int number)"),
  FUNCTION(half, "int (int number) errno"),
  FUNCTION(second, "const double *(const double *numbers)"),
  FUNCTION(same, "pointer (pointer value)"),
  FUNCTION(negated, "bool (bool value)"),
  FUNCTION(halved, "float (float number)"),
  FUNCTION(weighted, "int64_t (int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t)"),
  FUNCTION(other, "enum color { RED, GREEN = 5 }; enum color (enum color color)"),
  FUNCTION(nothing, "void (void)"),
  FUNCTION(address_of, "const void *(const double numbers[count], size_t count)"),
  FUNCTION(total, "int (int count, const int numbers[count])"),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
    char uuid[37];
    snprintf(uuid, sizeof uuid, "ca115000-0000-4000-8000-%012zu", index);
    troupe_factory factory = {.struct_size = sizeof factory,
                              .uuid = uuid,
                              .name = functions[index].name,
                              .signature = functions[index].signature,
                              .function = functions[index].function};
    troupe_status status = registrar->register_factory(registrar, &factory);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

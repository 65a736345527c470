/* A header with one function for each rule of troupe adopt. AdoptTests has the expected signatures. */
#ifndef RULES_H
#define RULES_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Structs, unions and enumerations. */
struct point {
  double x, y;
};
typedef struct {
  int kind;
  union {
    double number;
    struct {
      short low, high;
    } halves;
  };
  enum { SMALL, LARGE = 5 } size;
  char name[8];
  const char *text;
  struct point *next;
} shape;
struct flags {
  unsigned visible : 1;
};
struct __attribute__((packed)) packet {
  char kind;
  int length;
};
struct packets {
  struct __attribute__((packed)) {
    int length;
    char kind;
  } pair[2];
};
struct aligned {
  char byte __attribute__((aligned(16)));
};
struct message {
  int count;
  short values[];
};
typedef enum { RED, GREEN = 1 << 4, BLUE } color;
enum large { HUGE = 0x1FFFFFFFF };
enum __attribute__((packed)) level { LOW = -1, HIGH = 127 };
typedef int wide_int __attribute__((aligned(16)));
struct table {
  char first;
  int (*rows[2])(int);
  enum level level;
};
struct point rules_by_value(struct point point, shape shape);
const struct point *rules_constant(const struct point *point);
struct point *rules_result(void);
void rules_written(struct point *point);
int rules_bit_field(struct flags flags);
int rules_bit_field_pointer(const struct flags *flags);
int rules_packed(struct packet packet);
int rules_packed_array(struct packets packets);
int rules_aligned(struct aligned aligned);
int rules_aligned_type(wide_int number, wide_int *pointer);
int rules_table(struct table table);
int rules_flexible(const struct message *message);
color rules_enumeration(color shade, enum large large, const color *colors);

/* Handles. */
struct object;
typedef struct object object;
typedef void session;
object *rules_open(const char *name);
object *rules_append(object *object, const char *name);
int rules_find(const char *name, object **object);
void rules_free(object **object);
session *rules_session(void);
int rules_use(session *session, FILE *stream);

/* Text, pointers and numbers. */
const char *rules_text(const char *text, char *space, const wchar_t *wide);
char *rules_made_text(void);
unsigned long rules_nonnull(const char *text, const char *other) __attribute__((nonnull(1)));
const char *const *rules_list(const char *const *words, char *arguments[], void **memory);
uint8_t rules_numbers(_Bool flag, unsigned char byte, int64_t wide, size_t size, long double real, float _Complex number);
int rules_array(const double matrix[4], int rows[2][3]);
__int128 rules_wide(__int128 number);
typedef int vector __attribute__((vector_size(16)));
vector rules_vector(vector vector);
int rules_vector_pointer(vector *vector, __int128 *number);
int rules_names(int bool, int __size, int packed, int __int);

/* Callbacks. */
typedef int (*compare)(const void *, const void *);
typedef int plain(int);
typedef void data(void *user, const char *bytes, int count, const char *name);
compare rules_returns_callback(plain *plain, compare compare);
void (*rules_signal(int number, void (*handler)(int)))(int);
int rules_callbacks(data *data, int (*variadic)(const char *, ...), int (*(*nested)(int))(double), compare *list);

/* Parameter lists. */
int rules_variadic(const char *format, ...);
int rules_list_of_arguments(const char *format, va_list arguments);
int rules_unknown();
void rules_leaves(void) __attribute__((noreturn));
_Noreturn void rules_leaves_too(void);
int rules_twice(int);
int rules_twice(int number);
int rules_renamed(int number) __asm__("rules_symbol");
static inline int rules_inline(int number) { return number; }
#define rules_macro(number) ((number) + 1)
#define RULES_COUNT 4
#define RULES_FLAG (1u << 3)
#define RULES_NAME "rules"
int rules_hidden(int number);
int other_prefix(int number);

/* Buffers. */
int rules_sum(const int *numbers, int count);
void rules_fill(void *buffer, size_t size, int byte);
size_t rules_write(const void *data, size_t size, size_t count);
int rules_pack(unsigned char *dest, unsigned long *destLen, const unsigned char *source, unsigned long sourceLen);
int rules_points(const struct point *points, int num_points);
int rules_words(const char *const *words, int n);
int rules_compare(const void *a, const void *b, size_t n);
int rules_other_size(struct point *point, size_t bufferSize);
void *rules_realloc(void *memory, size_t size);

#endif

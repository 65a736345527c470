/* Pointers as libraries use them: objects behind a public base, tables and texts that are kept, memory without a length. */
#include <stddef.h>

/* Members of anonymous structs within anonymous unions. */
struct mixed { int kind; union { struct { short low, high; }; int all; }; };
int mixed_number(struct mixed m);
struct overlaid { union { struct { int x, y; }; struct { int r, g; }; int v[2]; }; };
int overlaid_number(struct overlaid o);
struct nested { struct { int x, y; }; int z; };
int nested_number(struct nested n);

/* A public base in front of a private object. */
typedef struct { int type; unsigned long references; } base;
base *base_integer(long value);
long base_value(const base *object);
base *base_retain(base *object);
void base_release(base *object);

/* A null member that points to an opaque struct. */
struct dictionary;
struct document { int version; struct dictionary *dictionary; };
struct document *document_parse(const char *text);
int document_version(const struct document *document);

/* A table of the library, which an object keeps. */
struct method { const char *name; int size; };
struct generator { const struct method *method; void *state; };
const struct method *method_default(void);
/* With a name that is not UTF-8. */
const struct method *method_latin(void);
struct generator *generator_new(const struct method *method);
const char *generator_name(const struct generator *generator);

/* A table of the caller, which an object keeps. */
struct operations { int (*get)(int); int bias; int reserved[6]; };
typedef struct context context;
context *context_new(const struct operations *operations);
int context_run(context *c, int x);
void context_free(context *c);
int twice(int x);
struct pair { int x, y; };
long pairs_sum(const struct pair *pairs, int count);
long pairs_sum_to_zero(const struct pair *pairs);
struct link { int value; struct link *next; };
struct link *link_push(struct link *head, int value);
struct link *link_invalid(void);
int link_count(const struct link *head);

/* Memory without a length. */
void numbers_fill(int *numbers, int count, int value);
int numbers_sum(const int *numbers, int count);
double reals_sum(const double *x, unsigned long n);
void reals_double(double *x, unsigned long n);
void bytes_set(void *bytes, unsigned long count);
void text_change(char *text);
struct measure { int a; double b; };
double measure_sum(struct measure *m);
double measure_constant_sum(const struct measure *m);

/* Pointers that the library keeps between calls. */
void text_keep(const char *text);
const char *text_kept(void);
void data_keep(const unsigned char *data, unsigned long count);
unsigned char data_first(void);
typedef int (*handler)(int x, void *user);
void handler_register(handler h, void *user);
int handler_fire(int x);
int handler_fire_elsewhere(int x);
int handler_is_null(handler h);
int handler_triple(int x, void *user);

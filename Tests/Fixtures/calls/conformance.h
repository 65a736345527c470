/* The beginning of every file of the conformance suite. */
#define _GNU_SOURCE
#include <complex.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <uchar.h>
#include <wchar.h>
#define packed __attribute__((packed))
struct opaque;
struct handle0; struct handle1; struct handle2; struct handle3;
typedef int (*target)(int);
typedef void (*hasher)(uint64_t *state, const void *value);
#define START 0xcbf29ce484222325u
#define BEGIN uint64_t start = START, *state = &start;
__attribute__((visibility("hidden"))) void hash(uint64_t *state, const void *bytes, size_t size);
__attribute__((visibility("hidden"))) void hash_text(uint64_t *state, const char *text);
__attribute__((visibility("hidden"))) void fill(uint64_t *state, void *bytes, size_t size);
__attribute__((visibility("hidden"))) bool fill_bool(uint64_t *state);
__attribute__((visibility("hidden"))) const char *fill_text(uint64_t *state);
__attribute__((visibility("hidden"))) void fill_long(uint64_t *state, void *bytes);
void hash_wide(uint64_t *state, const void *text, size_t size);
void hash_handle(uint64_t *state, const void *handle);
size_t fill_count(uint64_t *state, size_t limit);
const void *fill_wide(uint64_t *state, size_t size);
void *fill_handle(uint64_t *state, void *(*allocate)(size_t));
target fill_target(uint64_t *state);
void *borrow(size_t size);
void *own(size_t size);
char *own_text(uint64_t *state);
void *own_wide(uint64_t *state, size_t size);
void release(void *memory);
void release_handle(void *handle);
void keep(void *handle, const void *kept, size_t size, hasher hash);

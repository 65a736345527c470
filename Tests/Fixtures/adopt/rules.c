/* The other functions of rules.h that a test calls, and the symbols of those that it does not call. */
#define RULES_H
#include <stddef.h>
#include <string.h>

struct object {
  char name[16];
};

static struct object rules_object;
struct object *rules_open(const char *name) { return strncpy(rules_object.name, name, 15), &rules_object; }
int rules_find(const char *name, struct object **object) { return *object = rules_open(name), 0; }
struct object *rules_append(struct object *object, const char *name) {
  if (object == NULL) return rules_open(name);
  return strncat(object->name, name, 15 - strlen(object->name)), object;
}
void *rules_session(void) { return &rules_object; }
int rules_use(void *session, void *stream) { return session == &rules_object && stream == NULL; }
char *rules_made_text(void) { return rules_object.name; }
int rules_symbol(int number) { return number + 1; }
int rules_sum(const int *numbers, int count) {
  int sum = 0;
  for (int index = 0; index < count; index++) sum += numbers[index];
  return sum;
}
void rules_fill(void *buffer, size_t size, int byte) { memset(buffer, byte, size); }
size_t rules_write(const void *data, size_t size, size_t count) { return strnlen(data, size * count); }
int rules_pack(unsigned char *dest, unsigned long *destLen, const unsigned char *source, unsigned long sourceLen) {
  if (*destLen < sourceLen) return -1;
  for (size_t index = 0; index < sourceLen; index++) dest[index] = source[sourceLen - 1 - index];
  return *destLen = sourceLen, 0;
}
int rules_words(const char *const *words, int n) { return (int)strlen(words[n - 1]); }

#define SYMBOL(name) \
  void name(void) {}
SYMBOL(rules_result) SYMBOL(rules_written) SYMBOL(rules_bit_field) SYMBOL(rules_bit_field_pointer)
SYMBOL(rules_aligned) SYMBOL(rules_flexible) SYMBOL(rules_free) SYMBOL(rules_text) SYMBOL(rules_list)
SYMBOL(rules_array) SYMBOL(rules_wide) SYMBOL(rules_vector) SYMBOL(rules_vector_pointer)
SYMBOL(rules_names) SYMBOL(rules_returns_callback) SYMBOL(rules_signal) SYMBOL(rules_callbacks) SYMBOL(rules_variadic)
SYMBOL(rules_list_of_arguments) SYMBOL(rules_unknown) SYMBOL(rules_leaves) SYMBOL(rules_leaves_too) SYMBOL(rules_twice)
SYMBOL(rules_inline) SYMBOL(rules_macro) SYMBOL(other_prefix) SYMBOL(rules_compare) SYMBOL(rules_other_size)
SYMBOL(rules_realloc) SYMBOL(rules_aligned_type) SYMBOL(rules_packed_array)
__attribute__((visibility("hidden"))) SYMBOL(rules_hidden)

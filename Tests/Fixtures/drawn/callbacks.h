#include <stddef.h>
#include <stdint.h>

struct _cairo_pattern;
struct _cairo_rectangle_int { int x, y, width, height; };
struct _cairo_surface;

// Adds 1 to an int.
void count_call(struct _cairo_surface *observer, struct _cairo_surface *target, void *count);

// Returns the surface that is the data.
struct _cairo_surface *acquire_data(
  struct _cairo_pattern *pattern, void *data, struct _cairo_surface *target, const struct _cairo_rectangle_int *extents);

// Removes the first character of a text, and returns it.
int take_char(void *text);


// Appends bytes to a text.
int append_text(void *text, unsigned char *bytes, size_t size);

// A cipher: xor with a key of 16 bytes.
void copy_key(void *context, const uint8_t *key);
void xor_key(const void *context, size_t length, uint8_t *dst, const uint8_t *src);

// As malloc and free.
void *allocate(size_t size);
void release(void *memory);

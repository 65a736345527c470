/* Objects that only this library knows, with functions that make, borrow and release them. */
#include <stdarg.h>
#include <stdlib.h>
struct store { int rows, cursors; };
struct cursor { struct store *store; };
int released;
struct store *store_open(int rows) { struct store *s = malloc(sizeof *s); s->rows = rows; s->cursors = 0; return s; }
int store_try(int rows, struct store **out) { *out = store_open(rows); return rows < 0 ? 5 : 0; }
int store_rows(const struct store *s) { return s ? s->rows : -1; }
int store_close(struct store *s) { if (s->cursors) return 6; released = released * 10 + 1; free(s); return 0; }
const char *store_text(struct store *s) { return s && s->rows == -7 ? "seven" : "other"; }
struct cursor *cursor_open(struct store *s) {
  struct cursor *c = malloc(sizeof *c); c->store = s; s->cursors++; return c;
}
void cursor_close(struct cursor *c) { c->store->cursors--; released = released * 10 + 2; free(c); }
struct store *cursor_store(struct cursor *c) { return c->store; }
int store_keep(struct store **s) { return (*s)->rows; }
void stores_open(struct store **s) { s[0] = store_open(1); s[1] = store_open(2); }
const char *store_unreadable(struct store **s) { *s = store_open(4); return "\xff"; }
int store_sum(int count, ...) {
  va_list list;
  va_start(list, count);
  int sum = 0;
  while (count-- > 0) sum += va_arg(list, struct store *)->rows;
  va_end(list);
  return sum;
}
int store_call(int count, ...) {
  va_list list;
  va_start(list, count);
  int result = va_arg(list, int (*)(int))(count);
  va_end(list);
  return result;
}
struct pair { struct store *first, *second; };
int pair_rows(struct pair pair) { return pair.first->rows + pair.second->rows; }
struct store *store_same(struct store *s) { return s; }
int take_released(void) { int value = released; released = 0; return value; }

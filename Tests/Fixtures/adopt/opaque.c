#include "opaque.h"
#include <stdlib.h>

/* The value is far behind the start, so that a copy of a smaller struct has none. */
struct widget {
  int space[64], value;
};
struct box {
  int space[64], sum;
};
union cell {
  int space[64];
  struct {
    int space[63], value;
  } last;
};

widget *widget_new(int32_t value) {
  widget *new = calloc(1, sizeof *new);
  new->value = value;
  return new;
}

int widget_value(const widget *widget) { return widget->value; }
void widget_set(widget *widget, int value) { widget->value = value; }
void widget_free(widget *widget) { free(widget); }

box *box_new(pair pair) {
  box *new = calloc(1, sizeof *new);
  new->sum = pair.a + pair.b;
  return new;
}

int box_sum(const box *box) { return box->sum; }

int box_open(box **out, int sum) {
  *out = box_new((pair){sum, 0});
  return 0;
}

cell *cell_new(int value) {
  cell *new = calloc(1, sizeof *new);
  new->last.value = value;
  return new;
}

int cell_value(const cell *cell) { return cell->last.value; }

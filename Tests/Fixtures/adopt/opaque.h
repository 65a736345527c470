/* Objects whose members only the library knows, among definitions without a name. */
#include <stdint.h>
typedef struct widget widget;
widget *widget_new(int32_t value);
int widget_value(const widget *widget);
void widget_set(widget *widget, int value);
void widget_free(widget *widget);

typedef struct {
  int a, b;
} pair;
typedef struct box box;
typedef union {
  long number;
  char bytes[8];
} any;
typedef union cell cell;
box *box_new(pair pair);
int box_sum(const box *box);
int box_open(box **out, int sum);
cell *cell_new(int value);
int cell_value(const cell *cell);

/* The functions of rules.h whose types a test checks by calls, compiled with the header. */
#include "rules.h"

#include <string.h>

struct point rules_by_value(struct point point, shape shape) {
  return (struct point){point.y + shape.halves.high + shape.size, point.x + shape.kind + shape.name[7] + strlen(shape.text)};
}

static struct point point;
const struct point *rules_constant(const struct point *other) {
  point = (struct point){other->y, other->x};
  return &point;
}

int rules_points(const struct point *points, int num_points) { return (int)points[num_points - 1].y; }

int rules_packed(struct packet packet) { return packet.length - packet.kind; }

unsigned long rules_nonnull(const char *text, const char *other) { return strlen(text) + (other ? strlen(other) : 0); }

int rules_table(struct table table) {
  return table.level == HIGH && table.rows[1] == NULL && table.first == 'a';
}

color rules_enumeration(color shade, enum large large, const color *colors) {
  return large == HUGE && colors == NULL ? shade + 1 : 0;
}

uint8_t rules_numbers(_Bool flag, unsigned char byte, int64_t wide, size_t size, long double real, float _Complex number) {
  return flag + byte + (wide < 0) + size + (real == 0.5L) + (__imag__ number == -1);
}

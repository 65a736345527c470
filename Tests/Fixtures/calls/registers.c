/* Functions whose arguments fill the registers and reach the stack. */
#include <stdarg.h>
#include <stdint.h>
struct mixed { long i; double d; };
double spread(double x, long a, long b, long c, long d, long e, ...) {
  va_list list;
  va_start(list, e);
  struct mixed s = va_arg(list, struct mixed);
  va_end(list);
  return x + a + b + c + d + e + (double)s.i + s.d;
}
struct large { uint8_t bytes[64000]; };
uint64_t last(uint8_t first, struct large a, struct large b, struct large c, struct large d) {
  return first + a.bytes[0] + 2u * b.bytes[1] + 3u * c.bytes[2] + 4u * d.bytes[63999];
}
#ifdef __x86_64__
struct wrapped { long double v; };
struct wrapped wrap(long double v) { return (struct wrapped){v}; }
long double same(long double v) { return v; }
union inner { long double a; int c; };
union outer { union inner m; long y[2]; };
long digits(union outer u, long last) { return u.y[0] * 100 + u.y[1] * 10 + last; }
union outer pair(void) { union outer u; u.y[0] = 1; u.y[1] = 2; return u; }
long double sum(struct wrapped (*callback)(int), int count) {
  long double sum = 0;
  for (int i = 0; i < count; i++) sum += callback(i).v;
  return sum;
}
#endif

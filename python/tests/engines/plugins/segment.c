/* Functions that return a struct of structs. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.segment", "Segment", "1.0.0")

struct point { double x, y; };
struct line { struct point a, b; };

static struct line segment(double x) { return (struct line){{x, x + 1}, {x + 2, x + 3}}; }
static struct line segment_with_length(double x, double *length) {
  *length = 2;
  return segment(x);
}

#define LINE "struct point { double x, y; }; struct line { struct point a, b; }; struct line "

static const troupe_factory factories[] = {
  {.struct_size = sizeof(troupe_factory), .uuid = "5e600000-0000-4000-8000-000000000001", .name = "segment",
   .signature = LINE "(double x)", .function = TROUPE_FUNCTION(segment)},
  {.struct_size = sizeof(troupe_factory), .uuid = "5e600000-0000-4000-8000-000000000002", .name = "segment_with_length",
   .signature = LINE "(double x, out double *length)", .function = TROUPE_FUNCTION(segment_with_length)},
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_status status = registrar->register_factory(registrar, &factories[0]);
  return status == TROUPE_OK ? registrar->register_factory(registrar, &factories[1]) : status;
}

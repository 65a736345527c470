/* A factory of instances and a function in C, each with every member that a registration of its kind has. */
#include <stdlib.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.described-c", "Described in C", "1.0.0")

static void *make(int64_t start) {
  int64_t *box = malloc(sizeof *box);
  if (box) *box = start;
  return box;
}

static double area(double width, double height) { return width * height; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  static const char *const box_tags[] = {"described", "box"}, *const area_tags[] = {"described", "area"};
  static const troupe_metadata box_texts[] = {TROUPE_DESCRIPTION("Makes a box."), {"unit", "pc"}};
  static const troupe_metadata area_texts[] = {
    TROUPE_DESCRIPTION("Returns the area of a rectangle."), TROUPE_PARAMETER("width", "The width."),
    TROUPE_EXAMPLE("3, 4.5", "13.5"), {"unit", "m2"}};
  static const troupe_factory factories[] = {
    {.struct_size = sizeof(troupe_factory), .uuid = "de5c0000-0000-4000-8000-000000000011", .name = "box",
     .contract = "org.example.box/1", .signature = "pointer (int64_t start)", .function = TROUPE_FUNCTION(make), .destroy = free,
     .lifetime = TROUPE_SINGLETON, .tags = box_tags, .tag_count = 2, .metadata = box_texts, .metadata_count = 2},
    {.struct_size = sizeof(troupe_factory), .uuid = "de5c0000-0000-4000-8000-000000000012", .name = "area",
     .signature = "double (double width, double height)", .function = TROUPE_FUNCTION(area), .tags = area_tags, .tag_count = 2,
     .metadata = area_texts, .metadata_count = 4},
  };
  for (size_t index = 0; index < 2; index++) {
    troupe_status status = registrar->register_factory(registrar, &factories[index]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

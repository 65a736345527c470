/* Functions that return their argument: a column comes back as it was passed. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.same", "Same", "1.0.0")

#define SAME(type) static type same_##type(type value) { return value; }
SAME(int8_t)
SAME(int16_t)
SAME(int32_t)
SAME(int64_t)
SAME(uint8_t)
SAME(uint16_t)
SAME(uint32_t)
SAME(uint64_t)
SAME(float)
SAME(double)
SAME(bool)
static const char *same_text(const char *text) { return text; }

static float add_float(float x, float y) { return x + y; }

/* With padding behind the first member and the last one. */
struct item { bool is_open; int32_t key; double value; uint8_t size; };
static struct item same_item(struct item item) { return item; }

#define FUNCTION(number, name_, signature_)                                                                            \
  {.struct_size = sizeof(troupe_factory), .uuid = "5a3b1e00-0000-4000-8000-0000000001" number, .name = #name_,         \
   .signature = signature_, .function = TROUPE_FUNCTION(name_)}
#define SAME_FUNCTION(number, type) FUNCTION(number, same_##type, #type " (" #type " value)")

static const troupe_factory factories[] = {
  SAME_FUNCTION("01", int8_t), SAME_FUNCTION("02", int16_t), SAME_FUNCTION("03", int32_t), SAME_FUNCTION("04", int64_t),
  SAME_FUNCTION("05", uint8_t), SAME_FUNCTION("06", uint16_t), SAME_FUNCTION("07", uint32_t), SAME_FUNCTION("08", uint64_t),
  SAME_FUNCTION("09", float), SAME_FUNCTION("0a", double), SAME_FUNCTION("0b", bool),
  FUNCTION("0c", same_text, "string (string text)"),
  FUNCTION("0d", add_float, "float (float x, float y)"),
  FUNCTION("0e", same_item,
           "struct item { bool is_open; int32_t key; double value; uint8_t size; }; struct item (struct item item)"),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  for (size_t i = 0; i < sizeof factories / sizeof *factories; i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

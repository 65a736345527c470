/* Functions whose values cannot all cross into another process, by their signatures. None of them is ever called. */
#include <stdlib.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.function-pointers", "Function pointers", "1.0.0")

static void never(void) { abort(); }

#define UUID(number) "15012001-0000-4000-8000-0000000000" number
#define FUNCTION(number, name, signature) \
  {sizeof(troupe_factory), TROUPE_TRANSIENT, UUID(number), name, NULL, signature, TROUPE_FUNCTION(never), NULL, NULL, NULL, NULL, 0, 0, NULL}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  static const troupe_factory factories[] = {
    FUNCTION("01", "result", "int (*(int number))(int)"),
    FUNCTION("02", "output", "void (out int (**made)(int))"),
    FUNCTION("03", "result_member", "struct table { int size; int (*compare)(int, int); }; struct table (void)"),
    FUNCTION("04", "nested_output", "struct table { struct { int (*compare)(int, int); } inner[2]; }; void (out struct table *made)"),
    FUNCTION("05", "text_callback", "int (const char *(*name)(int index))"),
    FUNCTION("06", "callback_argument", "int (void (*each)(int (*inner)(int)))"),
    FUNCTION("07", "unknown_extent", "double (const void *values, int count)"),
    FUNCTION("08", "callback", "int (int (*compare)(int, int))"),
    FUNCTION("09", "member", "struct table { int size; int (*compare)(int, int); }; int (struct table table)"),
  };
  for (size_t index = 0; index < sizeof factories / sizeof *factories; index++) {
    troupe_status status = registrar->register_factory(registrar, &factories[index]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

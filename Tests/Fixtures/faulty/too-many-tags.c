/* A plugin whose factory has more tags than the limit. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.too-many-tags", "Too many tags", "1.0.0")

static int one(void) { return 1; }
static const char *const tags[] = {"tag"};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {.uuid = "fa017000-0000-4000-8000-000000000007", .name = "one", .signature = "int ()", .function = TROUPE_FUNCTION(one), .struct_size = sizeof factory, .tags = tags, .tag_count = UINT32_MAX};
  return registrar->register_factory(registrar, &factory);
}

/* A plugin with 5,000 functions. */
#include <stdio.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.many", "Many", "1.0.0")

static int one(int number) { return number; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  for (int number = 0; number < 5000; number++) {
    char uuid[40], name[16];
    snprintf(uuid, sizeof uuid, "8d5b1f06-2c6e-4d3c-9f6a-%012d", number);
    snprintf(name, sizeof name, "one%d", number);
    const troupe_factory factory = {
      .struct_size = sizeof factory, .uuid = uuid, .name = name, .signature = "int (int number)",
      .function = TROUPE_FUNCTION(one)};
    troupe_status status = registrar->register_factory(registrar, &factory);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

/* A plugin whose function returns a number that identifies the build. */
#include <troupe.h>

#ifndef NUMBER
#define NUMBER 1
#endif
#ifndef ID
#define ID "org.example.numbered"
#endif

TROUPE_PLUGIN(ID, "Numbered", "1.0.0")

static int number(void) { return NUMBER; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = "0a3b0000-0000-4000-8000-000000000001", .name = "number", .signature = "int (void)",
    .function = TROUPE_FUNCTION(number)};
  return registrar->register_factory(registrar, &factory);
}

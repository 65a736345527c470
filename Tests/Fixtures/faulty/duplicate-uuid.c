/* A plugin with two functions under one UUID. With IGNORE it ignores the result of the second registration, which it makes TIMES times. */
#include <troupe.h>

#ifndef ID
#define ID "org.example.duplicate-uuid"
#endif

TROUPE_PLUGIN(ID, "Duplicate UUID", "1.0.0")

static int one(void) { return 1; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = "57a6e000-0000-4000-8000-000000000001", .name = "first", .signature = "int ()",
    .function = TROUPE_FUNCTION(one)};
  troupe_status status = registrar->register_factory(registrar, &factory);
  factory.name = "second";
  if (status == TROUPE_OK) status = registrar->register_factory(registrar, &factory);
#ifdef IGNORE
#ifdef TIMES
  for (int time = 1; time < TIMES; time++) registrar->register_factory(registrar, &factory);
#endif
  status = TROUPE_OK;
#endif
  return status;
}

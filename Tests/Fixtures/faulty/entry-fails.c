/* A plugin whose entry registers a factory and then returns STATUS, after reporting REASON to the host. */
#include <troupe.h>

#ifndef STATUS
#define STATUS TROUPE_FAILED
#endif
#ifndef REASON
#define REASON "there is no license"
#endif

TROUPE_PLUGIN("org.example.entry-fails", "Entry fails", "1.0.0")

static int one(void) { return 1; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = "fa110000-0000-4000-8000-000000000001", .name = "one", .signature = "int ()",
    .function = TROUPE_FUNCTION(one)};
  if (registrar->register_factory(registrar, &factory) != TROUPE_OK) return TROUPE_INVALID_ARGUMENT;
  registrar->host->fail(registrar->host, "replaced by the next");
  registrar->host->fail(registrar->host, REASON);
  return STATUS;
}

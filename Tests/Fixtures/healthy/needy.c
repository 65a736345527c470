/* A plugin whose requirements and contracts are macros. Registers an instance of CONTRACT if it is defined. FAILS makes its entry
 * fail. It logs when its entry runs. */
#include <troupe.h>

#ifndef REQUIRES
#define REQUIRES
#endif
#ifndef VERSION
#define VERSION "1.0.0"
#endif

TROUPE_PLUGIN_WITH(ID, ID, VERSION, REQUIRES)

#ifdef CONTRACT
static int object;
static void *make(void) { return &object; }
#endif

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  registrar->host->log(registrar->host, TROUPE_LOG_INFO, "loaded");
#ifdef FAILS
  registrar->host->fail(registrar->host, "it does not feel like it");
  return TROUPE_FAILED;
#endif
#ifdef CONTRACT
  static const troupe_factory factory = {
    .struct_size = sizeof factory, .lifetime = TROUPE_TRANSIENT, .uuid = UUID, .name = "thing", .contract = CONTRACT,
    .signature = "pointer ()", .function = TROUPE_FUNCTION(make),
  };
  return registrar->register_factory(registrar, &factory);
#else
  return TROUPE_OK;
#endif
}

/*
 * A plugin whose name has characters that the formats of graphs escape. NAME is the last part of its id, VERSION its version, MEMBERS the
 * members of its manifest. With the macro UUID it registers the contract org.example.store/1.
 */
#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example." NAME, "The \\\"" NAME "\\\" <plugin>", VERSION, MEMBERS)

#ifdef UUID
static int object;
static void *make(void) { return &object; }
static const troupe_factory factory = {
  .struct_size = sizeof factory, .lifetime = TROUPE_SINGLETON, .uuid = UUID, .name = "store",
  .contract = "org.example.store/1", .signature = "pointer ()", .function = TROUPE_FUNCTION(make),
};
#endif

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
#ifdef UUID
  return registrar->register_factory(registrar, &factory);
#else
  (void)registrar;
  return TROUPE_OK;
#endif
}

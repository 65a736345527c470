/* A plugin that links a library in its own directory. ID and SUFFIX make several of it, VERSION and NUMBER other contents. */
#include <troupe.h>

#ifndef ID
#define ID "org.example.beside"
#endif
#ifndef SUFFIX
#define SUFFIX "01"
#endif
#ifndef VERSION
#define VERSION "1.0.0"
#endif

TROUPE_PLUGIN(ID, "Beside", VERSION)

int beside(void);

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = "be51de00-0000-4000-8000-0000000000" SUFFIX, .name = "beside", .signature = "int (void)",
    .function = TROUPE_FUNCTION(beside)};
  return registrar->register_factory(registrar, &factory);
}

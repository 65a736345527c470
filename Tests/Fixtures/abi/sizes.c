/* Compiles if each struct has the size that a macro gives, and structs that the host fills in are no larger. */
#include <troupe.h>

_Static_assert(sizeof(troupe_factory) == FACTORY, "troupe_factory");
_Static_assert(sizeof(troupe_query) == QUERY, "troupe_query");
_Static_assert(sizeof(troupe_transform) == TRANSFORM, "troupe_transform");
_Static_assert(sizeof(troupe_output) == OUTPUT, "troupe_output");

_Static_assert(sizeof(troupe_host) <= HOST, "troupe_host");
_Static_assert(sizeof(troupe_registrar) <= REGISTRAR, "troupe_registrar");
_Static_assert(sizeof(troupe_resolver) <= RESOLVER, "troupe_resolver");

/* Structs without struct_size. */
_Static_assert(sizeof(troupe_value) == VALUE, "troupe_value");
_Static_assert(sizeof(troupe_metadata) == METADATA, "troupe_metadata");
_Static_assert(sizeof(troupe_instance) == INSTANCE, "troupe_instance");

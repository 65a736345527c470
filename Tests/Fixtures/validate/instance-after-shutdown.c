/* The instances need a registration of their plugin at their end. */
#include <troupe.h>
static const troupe_resolver *resolver;
static int helper;
static void *helper_create(void) { return &helper; }
#define HELPER_UUID "8d5b1f06-2c6e-4d3c-9f6a-0c1d5a7e9b14"
#define DESTROY                                                                                       \
  static const char *const tags[] = {HELPER_UUID};                                                    \
  const troupe_query query = {                                                                        \
    .struct_size = sizeof query, .contract = "org.example.helper/1", .tags = tags, .tag_count = 1};   \
  troupe_instance found;                                                                              \
  if (resolver->resolve(resolver, &query, &found) != TROUPE_OK) abort();                              \
  resolver->release(resolver, found);                                                                 \
  free(self);
#define REGISTER                                                                              \
  troupe_factory other = factories[0];                                                        \
  resolver = registrar->resolver;                                                             \
  other.contract = "org.example.helper/1", other.vtable = NULL, other.lifetime = TROUPE_SINGLETON; \
  other.uuid = HELPER_UUID, other.name = "helper", other.destroy = NULL;                      \
  other.function = TROUPE_FUNCTION(helper_create);                                            \
  troupe_status status = registrar->register_factory(registrar, &other);                      \
  return status == TROUPE_OK ? registrar->register_factory(registrar, &factories[0]) : status;
#include "good.h"

/* Not the transform itself, which would not work with shared state. */
#include <stddef.h>
static int shared;
static void *shared_create(void) { return &shared; }
#define REGISTER                                                     \
  troupe_factory other = factories[0];                               \
  other.contract = "org.example.shared/1", other.vtable = NULL;      \
  other.function = TROUPE_FUNCTION(shared_create), other.destroy = NULL; \
  return registrar->register_factory(registrar, &other);
#include "good.h"

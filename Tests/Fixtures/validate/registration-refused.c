#define REGISTER                                         \
  troupe_factory malformed = factories[1];               \
  malformed.signature = "int64_t (";                     \
  registrar->register_factory(registrar, &malformed);    \
  return registrar->register_factory(registrar, &factories[0]);
#include "good.h"

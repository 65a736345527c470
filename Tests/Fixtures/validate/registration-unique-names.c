#define REGISTER                                                      \
  for (int index = 0; index < 2; index++) {                           \
    troupe_status status = registrar->register_factory(registrar, &factories[index]); \
    if (status != TROUPE_OK) return status;                           \
  }                                                                   \
  troupe_factory other = factories[1];                                \
  other.uuid = "8d5b1f06-2c6e-4d3c-9f6a-0c1d5a7e9b13";                \
  return registrar->register_factory(registrar, &other);
#include "good.h"

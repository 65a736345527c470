#define REGISTER                                                      \
  static const troupe_metadata metadata[] = {{"description", "sum"}}; \
  troupe_factory described = factories[1];                            \
  described.metadata = metadata;                                      \
  described.metadata_count = 1;                                       \
  return registrar->register_factory(registrar, &described);
#include "good.h"

#define REGISTER                              \
  troupe_factory bare = factories[0];         \
  bare.tag_count = 0;                         \
  return registrar->register_factory(registrar, &bare);
#include "good.h"

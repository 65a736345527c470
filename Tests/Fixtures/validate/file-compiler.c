/* cc: -Wl,--no-as-needed -L$products -lTroupe */
#define MANIFEST                                                                                                       \
  TROUPE_MANIFEST("{\"id\":\"org.example.validated\",\"name\":\"Validated\",\"version\":\"1.0.0\",\"language\":\"swift\"," \
                  "\"abi\":\"1.0\",\"sdk\":\"0.0.1\",\"interface\":\"other\"}")
#include "good.h"
/* A section of the Swift compiler. */
__attribute__((section("swift5_types"), used)) static const int types = 0;

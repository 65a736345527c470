#define MANIFEST                                                                                                   \
  TROUPE_MANIFEST("{\"id\":\"org.example.validated\",\"name\":\"Validated\",\"version\":\"1.0.0\",\"language\":\"c\"," \
                  "\"abi\":\"2.0\"}")
#include "good.h"

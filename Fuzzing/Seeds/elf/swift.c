/* What looks like Swift: a section of its runtime's. */
#include <troupe.h>

__attribute__((section("swift5_types"), used)) static const int types = 1;

TROUPE_MANIFEST(
  "{\"id\":\"org.example.seed\",\"name\":\"Seed\",\"version\":\"1.0.0\",\"language\":\"swift\",\"abi\":\"1.0\",\"sdk\":\"0.1.0\"}")

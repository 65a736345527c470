/* What looks like Swift: a section of its runtime's, and a compiler that is Swift's. */
#include <troupe.h>

#ident "clang version 17.0.0 (https://github.com/swiftlang/llvm-project.git 0123456789abcdef)"

__attribute__((section("swift5_types"), used)) static const int types = 1;

TROUPE_MANIFEST(
  "{\"id\":\"org.example.seed\",\"name\":\"Seed\",\"version\":\"1.0.0\",\"language\":\"swift\",\"abi\":\"1.0\",\"sdk\":\"0.1.0\"}")

#include "good.h"
__attribute__((section("swift5_types"), used)) static const int types = 0;
__attribute__((visibility("default"))) const int descriptor __asm__("$s6Troupe13PluginContextCMn") = 1;

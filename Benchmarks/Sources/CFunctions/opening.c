#include <dlfcn.h>

#include "../../../include/troupe.h"
#include "functions.h"

static troupe_status take(const troupe_registrar *registrar, const troupe_factory *factory) {
  (void)registrar;
  return factory->function == 0 ? TROUPE_INVALID_ARGUMENT : TROUPE_OK;
}

int open_library(const char *path, int enters) {
  static const troupe_registrar registrar = {
    .struct_size = sizeof registrar, .abi_major = TROUPE_ABI_MAJOR, .abi_minor = TROUPE_ABI_MINOR, .register_factory = take};
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
  if (!enters) return 1;
  troupe_status (*entry)(const troupe_registrar *);
  *(void **)&entry = dlsym(library, "troupe_plugin_main");
  return entry && entry(&registrar) == TROUPE_OK;
}

/*
 * The program `troupe-probe`: a host starts it to hold isolated plugins, and to load a new plugin in a process of its own if the program that
 * contains the host cannot be started for that, such as an interpreter.
 */
#include <stdio.h>

#include "launcher.h"

int main(void) {
  int channel = -1;
  const struct role *role = take_role(&channel);
  if (!role) {
    fprintf(stderr, "troupe-probe: loads plugins for a program that uses libTroupe.so; only such a program starts it, and "
                    "troupe validate checks a plugin by hand\n");
    return usage_error;
  }
  reserve_standard_descriptors();
  /* Converts an object pointer to a function pointer, as POSIX describes for dlsym. */
  void (*run)(int);
  *(void **)&run = load_library_function("troupe-probe", "../../lib", role->binding, role->function);
  run(channel);
  return software_error;
}

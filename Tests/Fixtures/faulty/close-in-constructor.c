/* A plugin that closes every descriptor when its library is opened. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.close-in-constructor", "Close in constructor", "1.0.0")

__attribute__((constructor)) static void tidy(void) {
  for (int number = 3; number < 1024; number++) close(number);
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

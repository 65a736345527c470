/* A plugin whose entry closes every descriptor and then crashes. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.close-and-crash", "Close and crash", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  for (int number = 0; number < 1024; number++) close(number);
  *(volatile int *)8 = 1;
  return TROUPE_OK;
}

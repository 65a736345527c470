/* A plugin whose entry sets the alarm. */
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.alarm", "Alarm", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  alarm(1000);
  return TROUPE_OK;
}

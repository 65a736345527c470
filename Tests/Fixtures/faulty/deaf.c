/* A plugin whose entry loops forever with all signals ignored. */
#define _GNU_SOURCE
#include <signal.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.deaf", "Deaf", "1.0.0")

static volatile unsigned turns;

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  for (int number = 1; number < 64; number++) signal(number, SIG_IGN);
  for (;;) turns++;
}

/* A plugin whose entry starts a timer and does not stop it. */
#define _GNU_SOURCE
#include <signal.h>
#include <time.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.timer", "Timer", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTERM};
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  struct itimerspec span = {.it_value = {.tv_sec = 1000}};
  timer_settime(timer, 0, &span, NULL);
  return TROUPE_OK;
}

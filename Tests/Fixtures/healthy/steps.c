/* Records in the file STEPS when its image is opened and when it registers. ID and REQUIRES are macros for its manifest; with
 * MISSES it cannot be opened, and with FAILS its entry refuses to load. */
#include <stdio.h>

#include <troupe.h>

#ifndef ID
#define ID "org.example.steps"
#endif
#ifndef REQUIRES
#define REQUIRES
#endif

TROUPE_PLUGIN_WITH(ID, ID, "1.0.0", REQUIRES)

#ifdef MISSES
/* An undefined symbol, so that the loader refuses the library. */
extern int missing(void);
int (*needed)(void) = missing;
#endif

static void say(const char *step) {
  FILE *steps = fopen(STEPS, "a");
  if (!steps) return;
  fprintf(steps, "%s %s\n", ID, step);
  fclose(steps);
}

__attribute__((constructor)) static void opened(void) { say("opened"); }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  say("registers");
#ifdef FAILS
  return TROUPE_FAILED;
#else
  return TROUPE_OK;
#endif
}

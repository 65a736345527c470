/* A plugin that passes its probe, which it recognizes by the limit of open files. In a process with CRASH in its environment it raises
 * that signal in its entry, or with IN_CONSTRUCTOR when it is opened. */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <troupe.h>

#ifndef ID
#define ID "org.example.crash-after-probe"
#endif

TROUPE_PLUGIN(ID, "Crash after probe", "1.0.0")

static void crash(void) {
  struct rlimit limit;
  const char *signal = getenv("CRASH");
  if (signal && getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != 256) raise(atoi(signal));
}

#ifdef IN_CONSTRUCTOR
__attribute__((constructor)) static void begin(void) { crash(); }
#endif

static int seven(void) { return 7; }

static const troupe_factory factory =
  TROUPE_FACTORY("c4a50000-0000-4000-8000-0000000000a1", "crash_seven", TROUPE_NO_TAGS, int, seven, (void));

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
#ifndef IN_CONSTRUCTOR
  crash();
#endif
  return registrar->register_factory(registrar, &factory);
}

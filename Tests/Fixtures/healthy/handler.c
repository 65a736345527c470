/* A plugin that installs a handler of SIGNAL when it is loaded, as runtimes of other languages do. With FORWARDS the handler calls the
 * one before, with EXITS it ends the process, else it returns. FLAGS are further flags of sigaction(2), by default SA_ONSTACK. */
#define _DEFAULT_SOURCE
#include <signal.h>
#include <unistd.h>

#include <troupe.h>

#ifndef FLAGS
#define FLAGS SA_ONSTACK
#endif

TROUPE_PLUGIN("org.example.handler", "Handler", "1.0.0")

static struct sigaction old;

static void handle(int number, siginfo_t *information, void *context) {
#ifdef EXITS
  _exit(1);
#endif
#ifdef FORWARDS
  if (old.sa_flags & SA_SIGINFO) old.sa_sigaction(number, information, context);
#endif
  (void)number, (void)information, (void)context;
}

static int answer(void) { return 42; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | FLAGS};
  sigaction(SIGNAL, &action, &old);
  static const troupe_factory factory =
    TROUPE_FACTORY("4a9d0000-0000-4000-8000-0000000000a1", "answer", TROUPE_NO_TAGS, int, answer, (void));
  return registrar->register_factory(registrar, &factory);
}

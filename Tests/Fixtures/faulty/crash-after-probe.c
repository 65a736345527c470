/* A plugin that passes its probe, which it recognizes by the limit of open files. In a process with CRASH in its environment it raises
 * that signal in its entry, or with IN_CONSTRUCTOR when it is opened. CRASH can also be `exit`, `close` to close all descriptors,
 * `thread` to crash on another thread once the file CRASH_FILE exists, and `wait` to create that file and wait for a signal. */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <troupe.h>

#ifndef ID
#define ID "org.example.crash-after-probe"
#endif

TROUPE_PLUGIN(ID, "Crash after probe", "1.0.0")

static void *crash_on_thread(void *file) {
  while (access(file, F_OK) != 0) usleep(1000);
  raise(SIGSEGV);
  return NULL;
}

static void crash(void) {
  struct rlimit limit;
  const char *what = getenv("CRASH");
  if (!what || getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == 256) return;
  if (strcmp(what, "exit") == 0) exit(0);
  if (strcmp(what, "thread") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, crash_on_thread, getenv("CRASH_FILE"));
  } else if (strcmp(what, "wait") == 0) {
    close(open(getenv("CRASH_FILE"), O_CREAT | O_WRONLY, 0600));
    pause();
  } else if (strcmp(what, "close") == 0) {
    for (int descriptor = 0; descriptor < 1024; descriptor++) close(descriptor);
  } else {
    raise(atoi(what));
  }
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

/*
 * The command `troupe`: opens libTroupe.so and hands over to it.
 *
 * Host and plugins must share one copy of Troupe's types, and Swift does not merge the copies of an executable with those
 * of a library. So everything is in libTroupe.so, which plugins link too, and the executable holds nothing but this.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The places where libTroupe.so may be, seen from the folder of the executable: a build tree, an installation. */
static const char *const places[] = {"libTroupe.so", "../lib/libTroupe.so"};

/* From sysexits.h: an internal software error. */
enum { software_error = 70 };

/*
 * Puts something into the place of each standard stream that is closed, so that no file that is opened later gets its number
 * and is written to for it. What is put there is opened the wrong way round: using it is still an error.
 */
static void hold_standard_streams(void) {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
    if (fcntl(stream, F_GETFD) == -1) (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

/*
 * The descriptor on which this process is told to probe a plugin, or -1. Taken out of the environment, so that the library does not
 * begin with that while the loader is still at work on it.
 */
static int take_probe_descriptor(void) {
  const char *text = getenv("TROUPE_PROBE");
  if (!text || !*text) return -1;
  int descriptor = atoi(text);
  unsetenv("TROUPE_PROBE");
  return descriptor;
}

int main(int argument_count, char **arguments) {
  int probe = take_probe_descriptor();
  hold_standard_streams();
  char path[PATH_MAX + 32];
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
  if (length <= 0) {
    fprintf(stderr, "troupe: cannot tell where this program is: /proc/self/exe is not readable\n");
    return software_error;
  }
  path[length] = '\0';
  char *name = strrchr(path, '/') + 1;

  void *library = NULL;
  char first_error[1024] = "";
  for (size_t place = 0; place < sizeof places / sizeof *places && !library; place++) {
    snprintf(name, sizeof path - (size_t)(name - path), "%s", places[place]);
    /* Functions are looked up when they are called first: a command calls few of them, and looking for all takes a millisecond. */
    library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!library && access(path, F_OK) == 0) snprintf(first_error, sizeof first_error, "%s", dlerror());
  }
  if (!library) {
    *name = '\0';
    fprintf(stderr, "troupe: cannot open libTroupe.so in %s or in ../lib: %s\n", path,
            *first_error ? first_error : "it is not there; build or install Troupe anew");
    return software_error;
  }

  if (probe >= 0) {
    void (*run_probe)(int);
    *(void **)&run_probe = dlsym(library, "troupe_probe_main");
    if (run_probe) run_probe(probe);
    return software_error;
  }

  /* An object pointer converted to a function pointer, as POSIX has it for dlsym. */
  int (*run)(int, char **);
  *(void **)&run = dlsym(library, "troupe_command_main");
  if (!run) {
    fprintf(stderr, "troupe: %s is not this version's library: %s\n", path, dlerror());
    return software_error;
  }
  return run(argument_count, arguments);
}

/* Functions that find out what a worker may read. ID is a macro. With NEEDS the plugin calls a function of a library of its own. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <troupe.h>

#ifndef ID
#define ID "org.example.grants"
#endif

TROUPE_PLUGIN(ID, "Grants", "1.0.0")

/* Returns 0 for a file or directory that can be opened for reading, or a negative errno. */
static int reads(const char *path) {
  int file = open(path, O_RDONLY | O_NONBLOCK);
  if (file < 0) return -errno;
  close(file);
  return 0;
}
/* Replaces a directory by a link, and crashes. The process after it reads a file. */
static int redirect(const char *directory, const char *target, const char *file) {
  char old[4096];
  struct stat status;
  if (lstat(directory, &status) != 0) return -errno;
  if (S_ISLNK(status.st_mode)) return reads(file);
  snprintf(old, sizeof old, "%s.old", directory);
  if (rename(directory, old) != 0 || symlink(target, directory) != 0) return -errno;
  raise(SIGKILL);
  return 1;
}
static int descriptors(void) {
  int count = 0;
  for (int file = 0; file < 4096; file++) count += fcntl(file, F_GETFD) >= 0;
  return count;
}
/* Opens a library as the loader finds it. */
static const char *opens(const char *library) {
  return dlopen(library, RTLD_NOW) ? "" : dlerror();
}
#ifdef NEEDS
int inner(void);
static int needed(void) { return inner(); }
#endif

#define UUID(number) "35000000-0000-4000-8000-0000000000" number

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  static const troupe_metadata idempotent[] = {TROUPE_IDEMPOTENT};
  static const troupe_factory factories[] = {
    TROUPE_FACTORY(UUID("01"), "reads", TROUPE_NO_TAGS, int, reads, (const char *path)),
    TROUPE_FACTORY_WITH(
      idempotent, UUID("02"), "redirect", TROUPE_NO_TAGS, int, redirect,
      (const char *directory, const char *target, const char *file)),
    TROUPE_FACTORY(UUID("03"), "descriptors", TROUPE_NO_TAGS, int, descriptors, (void)),
    TROUPE_FACTORY(UUID("04"), "opens", TROUPE_NO_TAGS, const char *, opens, (const char *library)),
#ifdef NEEDS
    TROUPE_FACTORY(UUID("05"), "needed", TROUPE_NO_TAGS, int, needed, (void)),
#endif
  };
  for (size_t index = 0; index < sizeof factories / sizeof *factories; index++) {
    troupe_status status = registrar->register_factory(registrar, &factories[index]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

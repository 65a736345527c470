#define _GNU_SOURCE
#include "launcher.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void reserve_standard_descriptors(void) {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
    if (fcntl(stream, F_GETFD) == -1) (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

static const struct role roles[] = {
  {"", "troupe_probe_main", RTLD_LAZY},
  /* What the server binds, its children need not. */
  {"fork", "troupe_probe_main", RTLD_NOW},
  {"check", "troupe_check_main", RTLD_LAZY},
  {"worker", "troupe_worker_main", RTLD_LAZY},
};

/* Reads the descriptor that a text begins with. Returns -1 unless the text ends after it, or goes on with a colon if it may. */
static int channel_in(const char *text, int may_continue) {
  if (*text < '0' || *text > '9') return -1;
  char *end;
  long number = strtol(text, &end, 10);
  return number <= INT_MAX && (!*end || (may_continue && *end == ':')) ? (int)number : -1;
}

const struct role *take_role(int *channel) {
  static const char variable[] = "TROUPE_PROBE";
  const char *text = secure_getenv(variable);
  if (!text || !*text) return NULL;
  const char *colon = strchr(text, ':'), *rest = colon ? colon + 1 : text;
  size_t length = colon ? (size_t)(colon - text) : 0;
  for (size_t index = 0; index < sizeof roles / sizeof *roles; index++) {
    const char *name = roles[index].name;
    if (strlen(name) != length || strncmp(name, text, length) != 0) continue;
    int is_worker = strcmp(name, "worker") == 0;
    *channel = channel_in(rest, is_worker);
    if (*channel < 0) break;
    /* What follows the channel is for the library. */
    char shape[256];
    snprintf(shape, sizeof shape, "%s", rest);
    if (strchr(shape, ':')) setenv(variable, shape, 1); else unsetenv(variable);
    return &roles[index];
  }
  if (strncmp(text, "answer:", 7) == 0) return NULL;
  /* A process without its role would do what a user asks of the program, and start children without end. */
  fprintf(stderr, "the environment requests a role that this program does not have: %s=%s; unset it\n", variable, text);
  exit(software_error);
}

int report_denied_syscall(const char *program, const char *call, int error) {
  if (error != EPERM && error != ENOSYS) return 0;
  fprintf(stderr, "%s: the system call %s is refused (%s); allow it in the sandbox or container that runs this program\n", program,
          call, strerrorname_np(error));
  return 1;
}

/* Opens the library. Ends the process with a message if there is none. Stores the path in a buffer of `size` bytes. */
static void *open_library(const char *program, const char *installed, int binding, char *path, size_t size) {
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
  if (length <= 0) {
    if (report_denied_syscall(program, "readlink", errno)) exit(system_error);
    fprintf(stderr, "%s: cannot find this program: /proc/self/exe cannot be read; mount /proc\n", program);
    exit(system_error);
  }
  path[length] = '\0';
  char *name = strrchr(path, '/') + 1;
  char first_error[1024] = "";
  const char *const directories[] = {"", installed};
  for (size_t index = 0; index < sizeof directories / sizeof *directories; index++) {
    const char *separator = *directories[index] ? "/" : "";
    snprintf(name, size - (size_t)(name - path), "%s%slibTroupe.so", directories[index], separator);
    void *library = dlopen(path, binding | RTLD_LOCAL);
    if (library) return library;
    if (access(path, F_OK) == 0) snprintf(first_error, sizeof first_error, "%s", dlerror());
  }
  *name = '\0';
  fprintf(stderr, "%s: cannot open libTroupe.so in %s or in %s: %s\n", program, path, installed,
          *first_error ? first_error : "the file does not exist; rebuild or reinstall Troupe");
  exit(software_error);
}

void *load_library_function(const char *program, const char *installed, int binding, const char *function) {
  char path[PATH_MAX + 64];
  void *found = dlsym(open_library(program, installed, binding, path, sizeof path), function);
  if (found) return found;
  fprintf(stderr, "%s: %s is not this version's library: %s\n", program, path, dlerror());
  exit(software_error);
}

#define _GNU_SOURCE
#include "processes.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe.h"

/* Reads the beginning of a file as text. Returns whether that succeeded. */
static int read_text(const char *path, char *text, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = read(file, text, size - 1);
  close(file);
  text[count < 0 ? 0 : count] = 0;
  return count > 0;
}

int troupe_process(pid_t number, struct troupe_process *process) {
  char path[64], line[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", number);
  if (number <= 0 || !read_text(path, line, sizeof line)) return 0;
  /* The name of the program, in parentheses, may have any characters. */
  const char *rest = strrchr(line, ')');
  memset(process, 0, sizeof *process);
  process->number = number;
  unsigned long user, system;
  long children_user, children_system;
  int count = rest ? sscanf(
                         rest, ") %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld %*d %*d %d", &process->state,
                         &process->parent, &process->group, &user, &system, &children_user, &children_system, &process->threads)
                   : 0;
  if (count != 8) return 0;
  process->ticks = user + system;
  process->children_ticks = (unsigned long)(children_user + children_system);
  return 1;
}

static int compare(const void *one, const void *other) {
  pid_t first = ((const struct troupe_process *)one)->number, second = ((const struct troupe_process *)other)->number;
  return (first > second) - (first < second);
}

static struct troupe_process *find(struct troupe_process *all, size_t count, pid_t number) {
  struct troupe_process wanted = {.number = number};
  return bsearch(&wanted, all, count, sizeof *all, compare);
}

/* The most processes that are listed. */
enum { most_processes = 1 << 16 };

/* Lists all processes by their numbers, and marks the descendants of one. Returns their count. */
static size_t list(struct troupe_process *all, pid_t ancestor) {
  size_t count = 0;
  DIR *directory = opendir("/proc");
  if (!directory) return 0;
  for (struct dirent *entry; count < most_processes && (entry = readdir(directory));) {
    if (isdigit((unsigned char)entry->d_name[0]) && troupe_process(atoi(entry->d_name), &all[count])) count++;
  }
  closedir(directory);
  qsort(all, count, sizeof *all, compare);
  /* A child may have a lower number than its parent, so repeat until a pass marks no process. */
  for (int is_changed = 1; is_changed;) {
    is_changed = 0;
    for (size_t index = 0; index < count; index++) {
      struct troupe_process *process = &all[index];
      if (process->is_descendant) continue;
      const struct troupe_process *parent = find(all, count, process->parent);
      process->is_descendant = process->parent == ancestor || (parent && parent->is_descendant);
      is_changed |= process->is_descendant;
    }
  }
  return count;
}

struct troupe_process *troupe_processes(size_t *count) {
  static struct troupe_process all[most_processes];
  *count = list(all, getpid());
  return all;
}

/* Returns whether a thread of a process runs or is ready to run. */
static int has_running_thread(const struct troupe_process *process) {
  if (process->state == 'R') return 1;
  if (process->threads < 2) return 0;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", process->number);
  DIR *directory = opendir(path);
  if (!directory) return 0;
  struct troupe_process thread;
  int is_running = 0;
  for (struct dirent *entry; !is_running && (entry = readdir(directory));) {
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    /* The number of a thread leads to its own stat file, although /proc does not list it. */
    is_running = troupe_process(atoi(entry->d_name), &thread) && thread.state == 'R';
  }
  closedir(directory);
  return is_running;
}

struct troupe_probe_usage troupe_probe_usage(pid_t probe) {
  struct troupe_probe_usage usage = {0};
  struct troupe_process *all = malloc(most_processes * sizeof *all);
  if (!all) return usage;
  size_t count = list(all, probe);
  uint64_t ticks = 0;
  for (size_t index = 0; index < count; index++) {
    const struct troupe_process *process = &all[index];
    /* The watching process works for system calls of the plugin, and processes that wait for its answers use no time themselves. */
    if (process->number != probe && !process->is_descendant) continue;
    ticks += process->ticks + process->children_ticks;
    if (!usage.is_running) usage.is_running = has_running_thread(process);
  }
  free(all);
  long frequency = sysconf(_SC_CLK_TCK);
  usage.milliseconds = ticks * 1000 / (uint64_t)(frequency > 0 ? frequency : 100);
  return usage;
}

int32_t troupe_probe_threads(pid_t number) {
  struct troupe_process process;
  return troupe_process(number, &process) ? process.threads : 0;
}

/* The number that a line of a file begins with behind a word, or -1 if there is no such line. */
static int number_behind(const char *path, const char *word) {
  char text[4096];
  if (!read_text(path, text, sizeof text)) return -1;
  const char *place = strstr(text, word);
  int number = -1;
  return place && sscanf(place + strlen(word), "%d", &number) == 1 ? number : -1;
}

pid_t troupe_process_of_thread(pid_t thread) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/status", thread);
  int process = number_behind(path, "\nTgid:");
  return process < 0 ? 0 : process;
}

pid_t troupe_process_of_descriptor(pid_t owner, int descriptor) {
  char path[64], target[64];
  snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", owner, descriptor);
  int process = number_behind(path, "\nPid:");
  if (process > 0) return process;
  /* The directory of a process in /proc identifies it, too. */
  snprintf(path, sizeof path, "/proc/%d/fd/%d", owner, descriptor);
  ssize_t length = readlink(path, target, sizeof target - 1);
  if (length < 0) return -1;
  target[length] = 0;
  if (sscanf(target, "/proc/%d", &process) == 1) return process;
  return strstr(target, "pidfd") ? 0 : -1;
}

int troupe_is_descendant(pid_t number) {
  struct troupe_process process;
  /* Deeper than any sound plugin. */
  for (int depth = 0; depth < 4096 && troupe_process(number, &process); depth++) {
    if (process.parent == getpid()) return 1;
    number = process.parent;
  }
  return 0;
}

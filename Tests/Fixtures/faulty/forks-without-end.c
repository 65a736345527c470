/* A plugin whose processes all fork forever. Limits their number and their time in case the host does not kill them. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.forks-without-end", "Forks without end", "1.0.0")

enum { most_processes = 3000, most_seconds = 300 };

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  atomic_int *count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (count == MAP_FAILED) return TROUPE_FAILED;
  alarm(most_seconds);
  while (atomic_load(count) < most_processes) {
    if (fork() != 0) continue;
    atomic_fetch_add(count, 1);
    /* A forked process inherits no alarm. */
    alarm(most_seconds);
  }
  for (;;) pause();
  return TROUPE_OK;
}

/* A plugin whose entry writes into the memory of its parent process. */
#define _GNU_SOURCE
#include <sys/uio.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.memory-of-others", "Memory of others", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  static int number;
  struct iovec piece = {&number, sizeof number};
  process_vm_writev(getppid(), &piece, 1, &piece, 1, 0);
  return TROUPE_OK;
}

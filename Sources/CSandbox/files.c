#define _GNU_SOURCE
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layers.h"

/* The interface of landlock(7), which the headers of Debian 12 describe in part. */
enum {
  create_ruleset = 444, add_rule = 445, restrict_self = 446,
  ask_version = 1, rule_path = 1,

  /* Rights to files. */
  can_execute = 1 << 0, can_write = 1 << 1, can_read = 1 << 2, can_list = 1 << 3, can_remove_directory = 1 << 4,
  can_remove_file = 1 << 5, can_make_directory = 1 << 7, can_make_file = 1 << 8, can_make_link = 1 << 12,
  can_move = 1 << 13,     /* since version 2 */
  can_truncate = 1 << 14, /* since version 3 */

  /* Rights to the network and to other processes. */
  all_tcp = 3,   /* since version 4: bind and connect */
  all_scopes = 3 /* since version 6: abstract sockets and signals */
};

struct ruleset {
  uint64_t files, network, scopes;
};

struct path_rule {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));

/* The rights that a version knows. */
static uint64_t known_rights(long version) {
  if (version >= 5) return (1 << 16) - 1;
  return version >= 3 ? (1 << 15) - 1 : version == 2 ? (1 << 14) - 1 : (1 << 13) - 1;
}

static int grant(int ruleset, int32_t descriptor, uint64_t rights, uint64_t known) {
  struct path_rule rule = {.allowed = rights & known, .parent = descriptor};
  struct stat status;
  int is_directory = fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
  if (!is_directory) rule.allowed &= can_write | can_read | can_truncate;
  return syscall(add_rule, ruleset, rule_path, &rule, 0) == 0;
}

int troupe_layer_files(const struct troupe_policy *policy) {
  long version = syscall(create_ruleset, NULL, 0, ask_version);
  if (version < 1) return 0;
  struct ruleset rights = {.files = known_rights(version)};
  /* An older kernel refuses a larger struct with members that are not zero. */
  if (version >= 4) rights.network = all_tcp;
  if (version >= 6) rights.scopes = all_scopes;
  size_t size = version >= 6 ? sizeof rights : version >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
  int ruleset = (int)syscall(create_ruleset, &rights, size, 0);
  if (ruleset < 0) return 0;
  const uint64_t reading = can_read | can_list;
  const uint64_t writing = reading | can_write | can_remove_directory | can_remove_file | can_make_directory | can_make_file |
                           can_make_link | can_move | can_truncate;
  int is_complete = 1;
  for (size_t index = 0; index < policy->readable_count; index++) {
    is_complete &= grant(ruleset, policy->readable[index], reading, rights.files);
  }
  for (size_t index = 0; index < policy->writable_count; index++) {
    is_complete &= grant(ruleset, policy->writable[index], writing, rights.files);
  }
  is_complete = syscall(restrict_self, ruleset, 0) == 0 && is_complete;
  close(ruleset);
  return is_complete;
}

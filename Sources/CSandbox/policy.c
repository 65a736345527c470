#define _GNU_SOURCE
#include "policy.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layers.h"

static int limit(__rlimit_resource_t resource, uint64_t value) {
  struct rlimit limits;
  if (getrlimit(resource, &limits) != 0) return 0;
  /* SIGXCPU first, which tells the host the reason. SIGKILL follows for a process that ignores it. */
  uint64_t hard = resource == RLIMIT_CPU ? value + 1 : value;
  if (limits.rlim_max > hard) limits.rlim_max = hard;
  limits.rlim_cur = limits.rlim_max < value ? limits.rlim_max : value;
  return setrlimit(resource, &limits) == 0;
}

static int apply_limits(const struct troupe_policy *policy) {
  int all = limit(RLIMIT_CORE, 0);
  if (policy->memory) all &= limit(RLIMIT_AS, policy->memory);
  if (policy->processor_time) all &= limit(RLIMIT_CPU, policy->processor_time);
  if (policy->descriptors) all &= limit(RLIMIT_NOFILE, policy->descriptors);
  if (policy->file_size) all &= limit(RLIMIT_FSIZE, policy->file_size);
  return all;
}

static int write_text(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return 0;
  size_t size = strlen(text);
  int is_written = write(file, text, size) == (ssize_t)size;
  close(file);
  return is_written;
}

/* Moves the process into a network of its own, which an ordinary user may do within a user namespace. The user keeps its number. */
static int separate_network(uint64_t threads) {
  unsigned user = geteuid(), group = getegid();
  if (unshare(CLONE_NEWNET) == 0) return 1;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return 0;
  char text[64];
  snprintf(text, sizeof text, "%u %u 1", user, user);
  write_text("/proc/self/uid_map", text);
  write_text("/proc/self/setgroups", "deny");
  snprintf(text, sizeof text, "%u %u 1", group, group);
  write_text("/proc/self/gid_map", text);
  /* The kernel counts the threads of the user in this namespace only. */
  if (threads) limit(RLIMIT_NPROC, threads);
  return 1;
}

/*
 * Gives up the capabilities of root (capabilities(7)), with which it could make a program that runs as root. Keeps those by which root uses
 * files of other users, since the granted paths may be such files.
 */
static int drop_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &header, sets) != 0) return 0;
  const uint32_t kept = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;
  struct __user_cap_data_struct fewer[_LINUX_CAPABILITY_U32S_3] = {
    {.effective = sets[0].effective & kept, .permitted = sets[0].permitted & kept}};
  return syscall(SYS_capset, &header, fewer) == 0;
}

uint32_t troupe_policy_apply(const struct troupe_policy *policy) {
  uint32_t used = 0;
  if (policy->layers & TROUPE_LAYER_NETWORK && separate_network(policy->threads)) used |= TROUPE_LAYER_NETWORK;
  /* An ordinary user may use the other layers only with it. */
  if (policy->layers & TROUPE_LAYER_PRIVILEGES && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) used |= TROUPE_LAYER_PRIVILEGES;
  if (policy->layers & TROUPE_LAYER_FILES && troupe_layer_files(policy)) used |= TROUPE_LAYER_FILES;
  /* The granted descriptors may be more than the limit of open files. */
  if (policy->layers & TROUPE_LAYER_LIMITS && apply_limits(policy)) used |= TROUPE_LAYER_LIMITS;
  /* The layers before may need them. */
  if (used & TROUPE_LAYER_PRIVILEGES && !drop_capabilities()) used &= ~(uint32_t)TROUPE_LAYER_PRIVILEGES;
  if (policy->layers & TROUPE_LAYER_CALLS && troupe_layer_calls(policy)) used |= TROUPE_LAYER_CALLS;
  return used;
}

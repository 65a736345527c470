/*
 * Runs a program under a filter that denies one system call, as a container or a sandbox around a host may: deny CALL ERRNO PROGRAM ARGUMENTS…
 *
 * CALL is a name such as wait4, or a number. ERRNO is EPERM, ENOSYS or a number. Compiled with Sources/CSandbox/system_calls.c, which has
 * the names. A call that has several forms in the C library, such as poll and ppoll, is denied in the named form only.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "system_calls.h"

enum { usage_error = 64 };

static long number_of(const char *call) {
  struct troupe_system_call known;
  for (size_t index = 0; (known = troupe_system_call_at(index)).name; index++) {
    if (strcmp(known.name, call) == 0) return known.number;
  }
  char *end;
  long number = strtol(call, &end, 10);
  return *call && !*end ? number : -1;
}

int main(int count, char **arguments) {
  long call = count > 3 ? number_of(arguments[1]) : -1;
  if (call < 0) {
    fprintf(stderr, "usage: deny CALL ERRNO PROGRAM ARGUMENTS...; this machine has no call %s\n", count > 1 ? arguments[1] : "");
    return usage_error;
  }
  const char *error = arguments[2];
  unsigned code = strcmp(error, "EPERM") == 0 ? EPERM : strcmp(error, "ENOSYS") == 0 ? ENOSYS : (unsigned)atoi(error);
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (code & SECCOMP_RET_DATA)),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("deny: no filter can be installed");
    return usage_error;
  }
  execvp(arguments[3], arguments + 3);
  perror(arguments[3]);
  return usage_error;
}

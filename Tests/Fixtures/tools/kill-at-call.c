/*
 * Runs a program and kills it with SIGKILL before the Nth system call by which its threads change a file or start a process; N = 0
 * never kills.
 *
 *     kill-at-call N COUNT-FILE PROGRAM [ARGUMENT…]
 *
 * Waits until every process that the program started has ended. Then writes the number of these system calls to COUNT-FILE and exits with
 * the program's status, or with 137 if a signal ended it. The number does not depend on the speed of the machine, so the kills of a test
 * are nearly the same in each run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *subject) {
  perror(subject);
  exit(125);
}

/* Whether a system call changes a file or starts a process. */
static int changes_something(const struct __ptrace_syscall_info *info) {
  switch (info->entry.nr) {
    case SYS_openat: return (info->entry.args[2] & (O_CREAT | O_TRUNC)) != 0;
#ifdef SYS_open
    case SYS_open: return (info->entry.args[1] & (O_CREAT | O_TRUNC)) != 0;
    case SYS_mkdir: case SYS_rename: case SYS_unlink: case SYS_rmdir: case SYS_link: case SYS_fork: case SYS_vfork:
#endif
    case SYS_write: case SYS_pwrite64: case SYS_writev: case SYS_ftruncate: case SYS_fsync: case SYS_fdatasync: case SYS_mkdirat:
    case SYS_renameat: case SYS_renameat2: case SYS_unlinkat: case SYS_linkat: case SYS_fchmod: case SYS_utimensat: case SYS_clone:
    case SYS_clone3: case SYS_exit_group: return 1;
    default: return 0;
  }
}

int main(int count, char **arguments) {
  if (count < 4) return 64;
  const long target = strtol(arguments[1], NULL, 10);
  /* Processes that lose their parent become children of this one, so that it can wait for them. */
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) fail("prctl");
  const pid_t program = fork();
  if (program < 0) fail("fork");
  if (program == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(125);
    raise(SIGSTOP);
    execvp(arguments[3], arguments + 3);
    _exit(126);
  }
  int status;
  if (waitpid(program, &status, 0) != program || !WIFSTOPPED(status)) fail("waitpid");
  /* New threads are traced, new processes are not. */
  const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SETOPTIONS, program, NULL, options) != 0 || ptrace(PTRACE_SYSCALL, program, NULL, NULL) != 0) fail("ptrace");

  long calls = 0;
  int result = 137;
  for (;;) {
    const pid_t stopped = waitpid(-1, &status, __WALL);
    if (stopped < 0 && errno == EINTR) continue;
    if (stopped < 0) break; /* ECHILD: all have ended. */
    if (!WIFSTOPPED(status)) {
      if (stopped == program && WIFEXITED(status)) result = WEXITSTATUS(status);
      continue;
    }
    int delivered = WSTOPSIG(status);
    if (delivered == (SIGTRAP | 0x80)) {
      struct __ptrace_syscall_info info;
      const int is_entry = ptrace(PTRACE_GET_SYSCALL_INFO, stopped, (void *)sizeof info, &info) > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY;
      if (is_entry && changes_something(&info) && ++calls == target) kill(program, SIGKILL);
      delivered = 0;
    } else if (status >> 16 != 0 || delivered == SIGSTOP || delivered == SIGTRAP) {
      delivered = 0; /* A new thread, or the start of one. */
    }
    /* The thread may have been killed meanwhile. */
    ptrace(PTRACE_SYSCALL, stopped, NULL, (void *)(long)delivered);
  }
  FILE *file = fopen(arguments[2], "we");
  if (!file || fprintf(file, "%ld\n", calls) < 0 || fclose(file) != 0) fail(arguments[2]);
  return result;
}

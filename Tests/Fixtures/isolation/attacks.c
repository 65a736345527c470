/*
 * Applies a policy and attacks the system. Arguments: the layers, an attack, a directory that is granted, and one that is not.
 *
 * Prints the layers in force, and after a failed attack errno. Exits with 0 if the attack succeeds, and with 1 if it fails.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "policy.h"
#include "system_calls.h"

static const char *granted, *other;
static char path[4096];

static const char *in(const char *directory, const char *name) {
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

static int opens(const char *file, int flags) { return open(file, flags, 0600) >= 0; }

/* The work of a healthy plugin. */
static void *note(void *done) {
  *(int *)done = 1;
  return NULL;
}
static int works(void) {
  int done = 0;
  pthread_t thread;
  if (pthread_create(&thread, NULL, note, &done) != 0 || pthread_join(thread, NULL) != 0 || !done) return 0;
  char *memory = malloc(64 << 20);
  if (!memory) return 0;
  memset(memory, 1, 64 << 20);
  free(memory);
  int file = open(in(granted, "written"), O_RDWR | O_CREAT, 0600);
  if (file < 0 || write(file, "text", 4) != 4 || lseek(file, 0, SEEK_SET) != 0 || close(file) != 0) return 0;
  char old[4096];
  strcpy(old, path);
  if (rename(old, in(granted, "renamed")) != 0 || unlink(path) != 0) return 0;
  isatty(1);
  struct timespec time;
  return raise(SIGURG) == 0 && clock_gettime(CLOCK_REALTIME, &time) == 0;
}

/* What libraries expect of the system. */
static int reads_own_memory(void) {
  char byte = 1, copy = 0;
  struct iovec to = {&copy, 1}, from = {&byte, 1};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1 && copy == 1;
}
static int uses_harmless_calls(void) {
  struct { uint32_t version; int pid; } header = {0x20080522, 0};
  uint32_t capabilities[6];
  sigset_t signals;
  sigemptyset(&signals);
  union sigval value = {0};
  int key = (int)syscall(SYS_pkey_alloc, 0, 0);
  return syscall(SYS_capget, &header, capabilities) == 0 && syscall(SYS_signalfd4, -1, &signals, 8, 0) >= 0 &&
         syscall(SYS_epoll_pwait2, epoll_create1(0), path, 1, &(struct timespec){0}, NULL, 8) == 0 &&
         (key >= 0 || errno == EINVAL || errno == ENOSPC || errno == ENOSYS) && syscall(SYS_ioprio_get, 1, 0) >= 0 && personality(0xFFFFFFFF) >= 0 &&
         sigqueue(getpid(), SIGURG, value) == 0 && (fgetxattr(1, "user.x", path, sizeof path) >= 0 || errno == ENODATA || errno == ENOTSUP);
}
static int starts_shell(void) {
  return popen("true", "r") != NULL || system("true") == 0;
}
static int reads_attribute(void) { return getxattr(in(other, "victim"), "user.x", path, sizeof path) >= 0 || errno == ENODATA; }
static int starts_asynchronous_input(void) {
  unsigned long context = 0;
  return syscall(SYS_io_setup, 1, &context) == 0;
}
static int sets_memory_policy(void) { return syscall(SYS_mbind, 0, 0, 0, NULL, 0, 0) == 0; }
static int reads_memory_policy(void) { return syscall(SYS_get_mempolicy, NULL, NULL, 0, NULL, 0) == 0; }
static int watches_files(void) { return inotify_init1(0) >= 0; }
static int schedules_in_real_time(void) { return sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){1}) == 0; }
static int schedules_as_usual(void) { return sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0}) == 0; }
static int writes_host_memory(void) {
  char byte;
  struct iovec to = {&byte, 1}, from = {&byte, 1};
  return process_vm_writev(getppid(), &to, 1, &from, 1, 0) == 1 || errno == EFAULT;
}
static int loads_into_kernel(void) { return syscall(SYS_finit_module, -1, "", 0) == 0 || errno == EBADF; }
/* On x86-64 in the 32-bit architecture: getpid. */
static int calls_as_other_architecture(void) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
  return result == getpid();
#else
  raise(SIGSYS);
  return 0;
#endif
}
/* Makes each call that the table refuses, with arguments that the kernel would refuse as well. Succeeds if a call has another result. */
static int makes_refused_calls(void) {
  struct troupe_system_call call;
  const int errors[] = {[TROUPE_CALL_REFUSED] = EPERM, [TROUPE_CALL_UNSUPPORTED] = ENOTSUP, [TROUPE_CALL_ABSENT] = ENOSYS};
  for (size_t index = 0; (call = troupe_system_call_at(index)).name; index++) {
    if (call.number < 0 || call.verdict < TROUPE_CALL_REFUSED || call.verdict > TROUPE_CALL_ABSENT) continue;
    errno = 0;
    if (syscall(call.number, -1L, -1L, -1L, -1L, -1L, -1L) == -1 && errno == errors[call.verdict]) continue;
    fprintf(stderr, "%s: %s\n", call.name, strerrorname_np(errno));
    return 1;
  }
  errno = syscall(100000, 0) == -1 && errno == ENOSYS ? EPERM : 0;
  return 0;
}

static int reads_file(void) { return opens("/etc/passwd", O_RDONLY); }
static int lists_directory(void) { return opens("/etc", O_RDONLY | O_DIRECTORY); }
static int reads_host_memory_file(void) {
  snprintf(path, sizeof path, "/proc/%d/mem", getppid());
  return opens(path, O_RDONLY);
}
static int reads_host_environment(void) {
  snprintf(path, sizeof path, "/proc/%d/environ", getppid());
  return opens(path, O_RDONLY);
}
static int writes_file(void) { return opens(in(other, "new"), O_WRONLY | O_CREAT); }
static int changes_file(void) { return opens(in(other, "victim"), O_WRONLY); }
static int truncates_file(void) { return truncate(in(other, "victim"), 0) == 0; }
static int removes_file(void) { return unlink(in(other, "victim")) == 0; }
static int changes_mode(void) { return chmod(in(other, "victim"), 0777) == 0; }
static int changes_mode_of_open_file(void) { return fchmod(open(in(granted, "own"), O_RDWR | O_CREAT, 0600), 0777) == 0; }
static int raises_limit(void) {
  struct rlimit limits;
  if (getrlimit(RLIMIT_CORE, &limits) != 0) return 0;
  limits.rlim_cur = limits.rlim_max = limits.rlim_max == RLIM_INFINITY ? RLIM_INFINITY : limits.rlim_max + 1;
  return setrlimit(RLIMIT_CORE, &limits) == 0;
}
static int escapes_by_link(void) {
  char target[4096];
  snprintf(target, sizeof target, "%s/victim", other);
  return symlink(target, in(granted, "link")) == 0 && opens(path, O_RDONLY);
}
static int makes_socket(int family, int type) { return socket(family, type, 0) >= 0; }
static int uses_tcp(void) { return makes_socket(AF_INET, SOCK_STREAM); }
static int uses_udp(void) { return makes_socket(AF_INET6, SOCK_DGRAM); }
static int uses_unix_socket(void) { return makes_socket(AF_UNIX, SOCK_STREAM); }
static int uses_netlink(void) { return makes_socket(AF_NETLINK, SOCK_RAW); }
static int executes(void) {
  execl("/bin/true", "true", NULL);
  return 0;
}
static int forks(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  return child > 0 && waitpid(child, NULL, 0) == child;
}
static int starts_with_clone3(void) {
  struct { uint64_t members[11]; } arguments = {{0, 0, 0, 0, SIGCHLD}};
  long child = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) _exit(0);
  return child > 0;
}
static int traces(void) { return ptrace(PTRACE_TRACEME, 0, 0, 0) == 0; }
static int reads_host_memory(void) {
  char byte;
  struct iovec to = {&byte, 1}, from = {&byte, 1};
  /* The address is valid in the host or not; the kernel refuses the process first. */
  return process_vm_readv(getppid(), &to, 1, &from, 1, 0) == 1 || errno == EFAULT;
}
static int signals_host(void) { return kill(getppid(), 0) == 0; }
static int signals_all(void) { return kill(-1, 0) == 0; }
static int signals_thread(void) { return syscall(SYS_tkill, getppid(), 0) == 0; }
static int opens_process(void) { return syscall(SYS_pidfd_open, getppid(), 0) >= 0; }
static int limits_host(void) {
  struct { uint64_t values[2]; } limits;
  return syscall(SYS_prlimit64, getppid(), 7, NULL, &limits) == 0;
}
static int uses_io_uring(void) {
  char parameters[120] = {0};
  return syscall(SYS_io_uring_setup, 1, parameters) >= 0;
}
static int uses_userfaultfd(void) { return syscall(SYS_userfaultfd, 1) >= 0; }
static int uses_bpf(void) {
  union bpf_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.map_type = BPF_MAP_TYPE_ARRAY;
  attributes.key_size = attributes.value_size = 4;
  attributes.max_entries = 1;
  return syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes) >= 0;
}
static int makes_namespace(void) { return unshare(CLONE_NEWUSER) == 0; }
static int mounts(void) { return mount("none", "/mnt", "tmpfs", 0, NULL) == 0; }
static int uses_keys(void) { return syscall(SYS_add_key, "user", "troupe", "x", 1, -3) >= 0; }
static int becomes_dumpable(void) { return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0; }
static int takes_memory(void) {
  for (int block = 0; block < 64; block++) {
    if (mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) return 0;
  }
  return 1;
}
static int takes_memory_files(void) { return memfd_create("x", 0) >= 0; }
static int takes_descriptors(void) {
  for (int count = 0; count < 200; count++) {
    if (dup(1) < 0) return 0;
  }
  return 1;
}
static int fills_disk(void) {
  signal(SIGXFSZ, SIG_IGN);
  int file = open(in(granted, "large"), O_RDWR | O_CREAT, 0600);
  int is_large = file >= 0 && ftruncate(file, 64 << 20) == 0;
  unlink(path);
  return is_large;
}
static int makes_privileged_program(void) {
  int file = open(in(granted, "program"), O_WRONLY | O_CREAT, 04755);
  struct stat status;
  /* A write takes the bit away, except from root with its capabilities. */
  return file >= 0 && write(file, "x", 1) == 1 && fstat(file, &status) == 0 && status.st_mode & S_ISUID;
}
static int takes_processor(void) {
  struct timespec time;
  do {
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  } while (time.tv_sec < 3);
  return 1;
}

static const struct {
  const char *name;
  int (*run)(void);
} attacks[] = {
#define ATTACK(name) {#name, name}
  ATTACK(works), ATTACK(reads_file), ATTACK(lists_directory), ATTACK(reads_host_memory_file), ATTACK(reads_host_environment),
  ATTACK(writes_file), ATTACK(changes_file), ATTACK(truncates_file), ATTACK(removes_file), ATTACK(changes_mode), ATTACK(changes_mode_of_open_file),
  ATTACK(raises_limit),
  ATTACK(escapes_by_link), ATTACK(uses_tcp), ATTACK(uses_udp), ATTACK(uses_unix_socket), ATTACK(uses_netlink), ATTACK(executes),
  ATTACK(forks), ATTACK(starts_with_clone3), ATTACK(traces), ATTACK(reads_host_memory), ATTACK(signals_host), ATTACK(signals_all),
  ATTACK(signals_thread), ATTACK(opens_process), ATTACK(limits_host), ATTACK(uses_io_uring), ATTACK(uses_userfaultfd),
  ATTACK(uses_bpf), ATTACK(makes_namespace), ATTACK(mounts), ATTACK(uses_keys), ATTACK(becomes_dumpable),
  ATTACK(takes_memory), ATTACK(takes_memory_files), ATTACK(takes_descriptors), ATTACK(fills_disk), ATTACK(takes_processor),
  ATTACK(makes_privileged_program),
  ATTACK(reads_own_memory), ATTACK(uses_harmless_calls), ATTACK(starts_shell), ATTACK(reads_attribute),
  ATTACK(starts_asynchronous_input), ATTACK(sets_memory_policy), ATTACK(reads_memory_policy), ATTACK(watches_files),
  ATTACK(schedules_in_real_time), ATTACK(schedules_as_usual), ATTACK(writes_host_memory), ATTACK(loads_into_kernel),
  ATTACK(calls_as_other_architecture), ATTACK(makes_refused_calls)};

int main(int count, char **arguments) {
  if (count != 5) return 2;
  granted = arguments[3];
  other = arguments[4];
  /* The number of a system call in the environment. */
  int32_t admitted = getenv("ADMITTED") ? atoi(getenv("ADMITTED")) : -1;
  const int32_t readable[] = {open("/lib", O_PATH), open("/usr/lib", O_PATH)}, writable[] = {open(granted, O_PATH)};
  struct troupe_policy policy = {
    .readable = readable, .readable_count = 2, .writable = writable, .writable_count = 1, .memory = 1u << 30, .processor_time = 1,
    .descriptors = 64, .file_size = 1 << 20, .calls = &admitted, .call_count = admitted >= 0, .layers = (uint32_t)atoi(arguments[1])};
  printf("%u\n", troupe_policy_apply(&policy));
  for (size_t index = 0; index < policy.readable_count; index++) close(readable[index]);
  close(writable[0]);
  fflush(stdout);
  for (size_t index = 0; index < sizeof attacks / sizeof *attacks; index++) {
    if (strcmp(attacks[index].name, arguments[2]) != 0) continue;
    if (attacks[index].run()) return 0;
    printf("%d\n", errno);
    return 1;
  }
  return 2;
}

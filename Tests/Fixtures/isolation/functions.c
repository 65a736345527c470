/* Functions for a worker: some that pass every kind of value, and others that misbehave. The constructor, the entry and the destructor
 * crash if CRASH_IN_CONSTRUCTOR, CRASH_IN_ENTRY or CRASH_IN_DESTRUCTOR is defined. ID is a macro. CRASH_SYMBOL is the symbol of the function
 * that crashes, and FORGED_REPORT the bytes that the entry sends in the place of the worker's report. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <ifaddrs.h>
#include <linux/futex.h>
#include <limits.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <troupe.h>

#ifndef ID
#define ID "org.example.functions"
#endif

TROUPE_PLUGIN(ID, "Functions", "1.0.0")

static const troupe_host *host;

#ifdef CRASH_SYMBOL
static void crash(void) __asm__(CRASH_SYMBOL);
#endif
__attribute__((noinline)) static void crash(void) { *(volatile int *)8 = 1; }

#ifdef CRASH_IN_CONSTRUCTOR
__attribute__((constructor)) static void construct(void) { crash(); }
#endif
#ifdef CRASH_IN_DESTRUCTOR
__attribute__((destructor)) static void destruct(void) { crash(); }
#endif

/* Values. */
static double area(double width, double height) { return width * height; }
static char *joined(const char *a, const char *b) {
  char *text = malloc(strlen(a) + strlen(b) + 1);
  return text ? strcat(strcpy(text, a), b) : NULL;
}
static double sum(const double *values, size_t count) {
  double sum = 0;
  for (size_t index = 0; index < count; index++) sum += values[index];
  return sum;
}
static void count_up(int32_t *values, size_t count) {
  for (size_t index = 0; index < count; index++) values[index]++;
}
static uint8_t *repeated(uint8_t byte, size_t count) {
  uint8_t *bytes = malloc(count);
  return bytes ? memset(bytes, byte, count) : NULL;
}
#define POINT TROUPE_STRUCT(point, double x, double y)
TROUPE_DEFINE(POINT);
static struct point mirrored(struct point p) { return (struct point){p.y, p.x}; }
static void mirror_all(struct point *points, size_t count) {
  for (size_t index = 0; index < count; index++) points[index] = mirrored(points[index]);
}
static int divide(int a, int b, int *quotient, int *rest) {
  if (b == 0) {
    errno = EDOM;
    return -1;
  }
  *quotient = a / b;
  *rest = a % b;
  return 0;
}

/* Callbacks. */
static int (*kept)(int value);
static int call_back(int (*function)(int value), int value) {
  kept = function;
  return function(value) + function(value + 1);
}
static int call_kept(int value) { return kept ? kept(value) : 0; }
struct callback {
  int (*function)(int value);
  int value;
};
static void *run_callback(void *context) {
  struct callback *callback = context;
  callback->value = callback->function(callback->value);
  return NULL;
}
static int call_on_thread(struct callback callback) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, run_callback, &callback) != 0) return -1;
  pthread_join(thread, NULL);
  return callback.value;
}
static int call_back_on_thread(int (*function)(int value), int value) {
  return call_on_thread((struct callback){function, value});
}
static int call_kept_on_thread(int value) { return call_back_on_thread(kept, value); }

/* Handles. */
struct shelf {
  int count;
};
static int shelves;
static struct shelf *shelf_open(int count) {
  struct shelf *shelf = malloc(sizeof *shelf);
  if (shelf) shelf->count = count;
  shelves++;
  return shelf;
}
static int shelf_count(struct shelf *shelf) { return shelf->count; }

/* A list whose members the host reads, and whose first element it may give as a literal. */
struct link { int value; const char *name; struct link *next; };
static struct link *link_push(struct link *next, int value, const char *name) {
  struct link *link = malloc(sizeof *link);
  *link = (struct link){value, strdup(name), next};
  return link;
}
static int link_double(struct link *link) { return link->value *= 2; }
#define LINK "struct link { int value; const char *name; struct link *next; }; "
static int open_shelves(void) { return shelves; }

/* Misbehavior. */
static int overflow(volatile int *above) {
  volatile int bytes[1024];
  bytes[0] = above[0];
  return above[0] == 1 ? 0 : overflow(bytes) + bytes[0];
}
static void *eat(void *unused) {
  (void)unused;
  for (;;) pause();
}
/* The memory that is shared with the host: the one mapping of the file named troupe-channel. */
static char *channel(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  unsigned long start = 0;
  while (maps && fgets(line, sizeof line, maps))
    if (strstr(line, "troupe-channel")) sscanf(line, "%lx", &start);
  if (maps) fclose(maps);
  return (char *)start;
}
static int write_byte_to_channel(size_t offset, uint8_t byte, int32_t count) {
  char *start = channel();
  if (!start) return -1;
  memset(start + offset, byte, (size_t)count);
  return 0;
}
/* Sends a message in the place of the worker, whose only slot follows a page: a line of the host and one of the worker, each with two cache
 * lines before 65,536 bytes. Another thread changes the content all the time if `changes`. */
static char *content;
static void *change(void *unused) {
  (void)unused;
  for (;;) content[8]++;
}
static void send_message(uint32_t *fields, uint32_t kind, uint32_t count) {
  fields[1] = kind;
  fields[3] = count;
  __atomic_store_n(fields, (fields[0] + 1) & 0x7FFFFFFF, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, fields, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
static int forge(uint32_t kind, uint32_t count, const uint8_t *bytes, size_t size, bool changes) {
  char *line = channel();
  if (!line) return -1;
  line += 4096 + 128 + 65536;
  uint32_t *fields = (uint32_t *)line;
  content = line + 128;
  memcpy(content, bytes, size);
  pthread_t thread;
  if (changes) pthread_create(&thread, NULL, change, NULL);
  send_message(fields, kind, count);
  for (;;) pause();
}
#ifdef FORGED_REPORT
/* Sends a report in the place of the worker, and answers all later messages with nothing. */
static void forge_report(const uint8_t *bytes, uint32_t size) {
  char *start = channel();
  if (!start) return;
  uint32_t *received = (uint32_t *)(start + 4096), *sent = (uint32_t *)(start + 4096 + 128 + 65536);
  memcpy((char *)sent + 128, bytes, size);
  for (uint32_t last = *received;; last = *received) {
    send_message(sent, 100, size);
    size = 0;
    /* The field after a cache line says that the receiver sleeps. */
    __atomic_store_n(received + 16, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(received, __ATOMIC_SEQ_CST) == last) syscall(SYS_futex, received, FUTEX_WAIT, last, NULL, NULL, 0);
  }
}
#endif
/* Wakes everybody who could wait for the worker, as often as possible. */
static int wake_all(void) {
  char *start = channel();
  for (;;)
    for (int line = 0; line < 8; line++)
      syscall(SYS_futex, start + 4096 + line * (128 + 65536), FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
/* Waits until the host sleeps, has it wait for something else, and ends. */
static int requeue_all(void) {
  static uint32_t other;
  char *start = channel();
  usleep(50000);
  for (int line = 0; line < 16; line++)
    syscall(SYS_futex, start + 4096 + line * (128 + 65536), FUTEX_REQUEUE, 0, INT_MAX, &other, 0);
  abort();
}
/* Prints a line and the begin of another one, and ends as `how` says; 0 only prints the line. */
static int tell(int number, int how) {
  printf("line %d\n", number);
  if (how > 1) fprintf(stderr, "rest of %d", number);
  switch (how) {
  case 0: return 0;
  case 1: printf("rest of %d", number); errno = EDOM; return -1;
  case 5: errno = EACCES; return -1;
  case 2: abort();
  case 3: _exit(3);
  default: exit(4);
  }
}
static int misbehave(const char *how) {
  if (strcmp(how, "crash") == 0) crash();
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "trap") == 0) __builtin_trap();
  if (strcmp(how, "wake") == 0) return wake_all();
  if (strcmp(how, "requeue") == 0) return requeue_all();
  if (strcmp(how, "overflow") == 0) return overflow(&(int){0});
  if (strcmp(how, "_exit") == 0) _exit(3);
  if (strcmp(how, "exit") == 0) exit(4);
  if (strcmp(how, "loop") == 0)
    for (volatile int i = 0;; i++) {
    }
  if (strcmp(how, "stop") == 0) raise(SIGSTOP);
  if (strcmp(how, "say and hang") == 0) puts("hanging");
  if (strcmp(how, "hang") == 0 || strcmp(how, "say and hang") == 0) pause();
  if (strcmp(how, "end thread") == 0) pthread_exit(NULL);
  if (strcmp(how, "socket") == 0) return socket(AF_INET, SOCK_STREAM, 0) < 0 ? -errno : 0;
  if (strcmp(how, "fork") == 0) return fork() < 0 ? -errno : 0;
  if (strcmp(how, "exec") == 0) return execl("/bin/true", "true", (char *)NULL) < 0 ? -errno : 0;
  if (strcmp(how, "kill parent") == 0) return kill(getppid(), SIGTERM) < 0 ? -errno : 0;
  /* The C library answers as if there were no shell. */
  if (strcmp(how, "system") == 0) return WEXITSTATUS(system("true")) == 127 ? -errno : 0;
  if (strcmp(how, "popen") == 0) return popen("true", "r") == NULL ? -EPERM : 0;
  if (strcmp(how, "trace") == 0) return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 ? -errno : 0;
  if (strcmp(how, "trace with blocked signals") == 0) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 ? -errno : 0;
  }
  if (strcmp(how, "memory") == 0) {
    for (;;) {
      char *memory = malloc(1 << 26);
      if (!memory) abort();
      memset(memory, 1, 1 << 26);
    }
  }
  if (strcmp(how, "threads") == 0) {
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    int count = 0;
    while (count < 100000 && pthread_create(&thread, &small, eat, NULL) == 0) count++;
    return count;
  }
  return 0;
}
static int calls;
static int count_calls(void) { return ++calls; }
static int append_and_crash(const char *path, int crashes) {
  int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (file < 0) return -errno;
  if (write(file, "x", 1) != 1) return -errno;
  struct stat status;
  fstat(file, &status);
  close(file);
  if (status.st_size <= crashes) crash();
  return (int)status.st_size;
}
static int read_file(const char *path) {
  int file = open(path, O_RDONLY);
  if (file < 0) return -errno;
  close(file);
  return 0;
}
static int write_file(const char *path) {
  int file = open(path, O_WRONLY | O_CREAT, 0600);
  if (file < 0) return -errno;
  close(file);
  return 0;
}
/* What libraries ask the system, such as an interpreter that starts. Returns the number of answers. */
static int ask_system(void) {
  struct addrinfo *addresses = NULL;
  int answers = getpwuid(geteuid()) != NULL;
  answers += getpwnam("root") != NULL;
  answers += getgrgid(getegid()) != NULL;
  answers += getaddrinfo("example.org", "80", NULL, &addresses) == 0;
  answers += gethostbyname("example.org") != NULL;
  answers += getifaddrs(&(struct ifaddrs *){NULL}) == 0;
  openlog("troupe", LOG_NDELAY, LOG_USER);
  syslog(LOG_DEBUG, "a line that nobody receives");
  closelog();
  return answers;
}
static const char *variable(const char *name) { return getenv(name); }
static int descriptors(void) {
  int count = 0;
  for (int file = 0; file < 256; file++) count += fcntl(file, F_GETFD) >= 0;
  return count;
}
static int print(const char *text, int count) {
  for (int line = 0; line < count; line++) puts(text);
  return count;
}
static int write_log(const char *text, int count) {
  for (int line = 0; line < count; line++) host->log(host, TROUPE_LOG_WARNING, text);
  return count;
}
static double unknown_extent(const void *values, int count) { return sum(values, (size_t)count); }
static void fill(int *numbers, int count, int value) {
  for (int index = 0; index < count; index++) numbers[index] = value;
}
static int add(const int *numbers, int count) {
  int sum = 0;
  for (int index = 0; index < count; index++) sum += numbers[index];
  return sum;
}
static char *shout(char *text) {
  text[0] = '!';
  return text;
}

/* What the library keeps between calls. */
static const char *kept_text;
static const int *kept_numbers;
static void keep_text(const char *text) { kept_text = text; }
static const char *get_text(void) { return kept_text; }
static void keep_numbers(const int *numbers, size_t count) {
  (void)count;
  kept_numbers = numbers;
}
static int get_number(int index) { return kept_numbers[index]; }
struct holder {
  const char *text;
};
static struct holder *holder_new(const char *text) {
  struct holder *holder = malloc(sizeof *holder);
  if (holder) holder->text = text;
  return holder;
}
static const char *holder_text(const struct holder *holder) { return holder->text; }

/* A transform that passes its input on. Its input "crash" makes it crash, "fail" makes it fail. */
struct stage {
  int crashes_at_end;
};
static void *create(int crashes_at_end) {
  struct stage *stage = malloc(sizeof *stage);
  if (stage) stage->crashes_at_end = crashes_at_end;
  if (crashes_at_end == 2) {
    free(stage);
    host->fail(host, "two is too many");
    return NULL;
  }
  return stage;
}
static void destroy(void *instance) {
  if (((struct stage *)instance)->crashes_at_end) crash();
  free(instance);
}
static troupe_status feed(void *instance, const void *bytes, size_t count, const troupe_output *output) {
  (void)instance;
  if (count == 5 && memcmp(bytes, "crash", 5) == 0) crash();
  if (count == 4 && memcmp(bytes, "fail", 4) == 0) return TROUPE_FAILED;
  for (int round = 0; count == 4 && memcmp(bytes, "much", 4) == 0 && round < 100000; round++) {
    troupe_status status = output->write(output, "0123456789", 10);
    if (status != TROUPE_OK) return status;
  }
  if (count == 4 && memcmp(bytes, "wild", 4) == 0) {
    /* The counter of the output is in the cache line before the input. */
    static const char zeros[16384];
    troupe_status status = output->write(output, zeros, sizeof zeros);
    struct timespec pause = {.tv_nsec = 200000};
    uint64_t *counter = (uint64_t *)((char *)bytes - 64);
    const uint64_t values[] = {UINT64_C(1) << 63, UINT64_MAX, 1, 200000, 0};
    for (size_t index = 0; index < 5; index++) {
      __atomic_store_n(counter, values[index], __ATOMIC_SEQ_CST);
      nanosleep(&pause, NULL);
    }
    return status;
  }
  return output->write(output, bytes, count);
}
static troupe_status finish(void *instance, const troupe_output *output) {
  (void)instance;
  return output->write(output, ".", 1);
}
static const char *message(void *instance) {
  (void)instance;
  return "the input says so";
}
static const troupe_transform stage = {.struct_size = sizeof stage, .feed = feed, .finish = finish, .message = message};

#define UUID(number) "15012000-0000-4000-8000-0000000000" number

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  static const troupe_metadata idempotent[] = {TROUPE_IDEMPOTENT};
  static const char *const tags[] = {"pass"};
  static const troupe_factory factories[] = {
    TROUPE_FACTORY(UUID("01"), "area", TROUPE_NO_TAGS, double, area, (double width, double height)),
    TROUPE_FACTORY(UUID("02"), "joined", TROUPE_NO_TAGS, TROUPE_OWNED(free, char *), joined, (const char *a, const char *b)),
    TROUPE_FACTORY(UUID("03"), "sum", TROUPE_NO_TAGS, double, sum, (TROUPE_BUFFER(const double, values, count), size_t count)),
    TROUPE_FACTORY(UUID("04"), "count_up", TROUPE_NO_TAGS, void, count_up, (TROUPE_BUFFER(int32_t, values, count), size_t count)),
    TROUPE_FACTORY(
      UUID("05"), "repeated", TROUPE_NO_TAGS, TROUPE_OWNED(free, TROUPE_RESULT_BUFFER(uint8_t, count)), repeated,
      (uint8_t byte, size_t count)),
    TROUPE_FACTORY(UUID("06"), "mirrored", TROUPE_NO_TAGS, struct point, mirrored, (struct point p), POINT),
    TROUPE_FACTORY(
      UUID("27"), "mirror_all", TROUPE_NO_TAGS, void, mirror_all, (TROUPE_BUFFER(struct point, points, count), size_t count), POINT),
    TROUPE_FACTORY(
      UUID("07"), "divide", TROUPE_NO_TAGS, TROUPE_ERRNO(int), divide,
      (int a, int b, TROUPE_OUT(int *quotient), TROUPE_OUT(int *rest))),
    TROUPE_FACTORY(UUID("08"), "call_back", TROUPE_NO_TAGS, int, call_back, (int (*function)(int value), int value)),
    TROUPE_FACTORY(
      UUID("61"), "call_back_on_thread", TROUPE_NO_TAGS, int, call_back_on_thread, (int (*function)(int value), int value)),
    {sizeof(troupe_factory), TROUPE_TRANSIENT, UUID("62"), "call_member_on_thread", NULL,
     "struct callback { int (*function)(int value); int value; }; int (struct callback callback)", TROUPE_FUNCTION(call_on_thread), NULL,
     NULL, NULL, NULL, 0, 0, NULL},
    TROUPE_FACTORY(UUID("63"), "call_kept_on_thread", TROUPE_NO_TAGS, int, call_kept_on_thread, (int value)),
    TROUPE_FACTORY(UUID("09"), "call_kept", TROUPE_NO_TAGS, int, call_kept, (int value)),
    TROUPE_FACTORY(UUID("10"), "open_shelves", TROUPE_NO_TAGS, int, open_shelves, (void)),
    TROUPE_FACTORY(UUID("11"), "misbehave", TROUPE_NO_TAGS, int, misbehave, (const char *how)),
    TROUPE_FACTORY(
      UUID("12"), "write_to_channel", TROUPE_NO_TAGS, int, write_byte_to_channel, (size_t offset, uint8_t byte, int32_t count)),
    TROUPE_FACTORY(
      UUID("26"), "forge", TROUPE_NO_TAGS, int, forge,
      (uint32_t kind, uint32_t count, TROUPE_BUFFER(const uint8_t, bytes, size), size_t size, bool changes)),
    TROUPE_FACTORY(UUID("13"), "count_calls", TROUPE_NO_TAGS, int, count_calls, (void)),
    TROUPE_FACTORY(UUID("14"), "append", TROUPE_NO_TAGS, int, append_and_crash, (const char *path, int crashes)),
    TROUPE_FACTORY_WITH(
      idempotent, UUID("15"), "append_again", TROUPE_NO_TAGS, int, append_and_crash, (const char *path, int crashes)),
    TROUPE_FACTORY(UUID("16"), "read_file", TROUPE_NO_TAGS, int, read_file, (const char *path)),
    TROUPE_FACTORY(UUID("17"), "write_file", TROUPE_NO_TAGS, int, write_file, (const char *path)),
    TROUPE_FACTORY(UUID("18"), "variable", TROUPE_NO_TAGS, const char *, variable, (const char *name)),
    TROUPE_FACTORY(UUID("28"), "ask_system", TROUPE_NO_TAGS, int, ask_system, (void)),
    TROUPE_FACTORY(UUID("19"), "descriptors", TROUPE_NO_TAGS, int, descriptors, (void)),
    TROUPE_FACTORY(UUID("20"), "print", TROUPE_NO_TAGS, int, print, (const char *text, int count)),
    TROUPE_FACTORY(UUID("41"), "tell", TROUPE_NO_TAGS, TROUPE_ERRNO(int), tell, (int number, int how)),
    TROUPE_FACTORY(UUID("21"), "write_log", TROUPE_NO_TAGS, int, write_log, (const char *text, int count)),
    TROUPE_FACTORY(
      UUID("22"), "unknown_extent", TROUPE_NO_TAGS, double, unknown_extent, (const void *values, int count)),
    TROUPE_FACTORY(UUID("70"), "fill", TROUPE_NO_TAGS, void, fill, (int *numbers, int count, int value)),
    TROUPE_FACTORY(UUID("71"), "add", TROUPE_NO_TAGS, int, add, (const int *numbers, int count)),
    {sizeof(troupe_factory), TROUPE_TRANSIENT, UUID("72"), "shout", NULL, "const char *(char *text)", TROUPE_FUNCTION(shout), NULL,
     NULL, NULL, NULL, 0, 0, NULL},
    TROUPE_FACTORY(UUID("73"), "keep_text", TROUPE_NO_TAGS, void, keep_text, (const char *text)),
    TROUPE_FACTORY(UUID("74"), "get_text", TROUPE_NO_TAGS, const char *, get_text, (void)),
    {sizeof(troupe_factory), TROUPE_TRANSIENT, UUID("75"), "keep_numbers", NULL, "void (const int numbers[count], size_t count)",
     TROUPE_FUNCTION(keep_numbers), NULL, NULL, NULL, NULL, 0, 0, NULL},
    TROUPE_FACTORY(UUID("76"), "get_number", TROUPE_NO_TAGS, int, get_number, (int index)),
    {sizeof(troupe_factory), TROUPE_TRANSIENT, UUID("77"), "holder_new", NULL,
     "struct holder; owned(free) struct holder *(kept const char *text)", TROUPE_FUNCTION(holder_new), NULL, NULL, NULL, NULL, 0, 0,
     NULL},
    {sizeof(troupe_factory), TROUPE_TRANSIENT, UUID("78"), "holder_text", NULL, "struct holder; const char *(struct holder *holder)",
     TROUPE_FUNCTION(holder_text), NULL, NULL, NULL, NULL, 0, 0, NULL},
    TROUPE_CONTRACT_FACTORY(
      UUID("23"), "pass", tags, TROUPE_CONTRACT_TRANSFORM, &stage, destroy, void *, create, (int crashes_at_end)),
    {sizeof(troupe_factory), TROUPE_TRANSIENT, UUID("24"), "shelf_open", NULL,
     "struct shelf; owned(free) struct shelf *(int count)", TROUPE_FUNCTION(shelf_open), NULL, NULL, NULL, NULL, 0, 0, NULL},
    {sizeof(troupe_factory), TROUPE_TRANSIENT, UUID("39"), "shelf_close", NULL, "struct shelf; void (consumed struct shelf *shelf)",
     TROUPE_FUNCTION(free), NULL, NULL, NULL, NULL, 0, 0, NULL},
    {sizeof(troupe_factory), TROUPE_TRANSIENT, UUID("64"), "link_push", NULL,
     LINK "struct link *(struct link *next, int value, const char *name)", TROUPE_FUNCTION(link_push), NULL, NULL, NULL, NULL, 0, 0,
     NULL},
    {sizeof(troupe_factory), TROUPE_TRANSIENT, UUID("65"), "link_double", NULL, LINK "int (struct link *link)",
     TROUPE_FUNCTION(link_double), NULL, NULL, NULL, NULL, 0, 0, NULL},
    {sizeof(troupe_factory), TROUPE_TRANSIENT, UUID("25"), "shelf_count", NULL, "struct shelf; int (struct shelf *shelf)",
     TROUPE_FUNCTION(shelf_count), NULL, NULL, NULL, NULL, 0, 0, NULL},
  };
  host = registrar->host;
#ifdef CRASH_IN_ENTRY
  crash();
#endif
#ifdef FORGED_REPORT
  static const uint8_t report[] = {FORGED_REPORT};
  forge_report(report, sizeof report);
#endif
  for (size_t index = 0; index < sizeof factories / sizeof *factories; index++) {
    troupe_status status = registrar->register_factory(registrar, &factories[index]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

/* A plugin that prints when it is opened, in its entry, in a factory, in a transform and in a function, through system calls and through
 * the C library, which buffers. Its factory changes the current directory. A function starts a thread that holds standard input as a
 * thread does that waits for a line. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.printing", "Printing", "1.0.0")

static void print(const char *text) {
  (void)!write(STDOUT_FILENO, text, strlen(text));
  printf("buffered %s", text);
}

__attribute__((constructor)) static void begin(void) { print("constructor\n"); }

static void *create(void) {
  print("factory\n");
  (void)!chdir("/");
  return malloc(1);
}

static troupe_status feed(void *instance, const void *bytes, size_t count, const troupe_output *output) {
  (void)instance;
  print("feed\n");
  return output->write(output, bytes, count);
}

static troupe_status finish(void *instance, const troupe_output *output) {
  (void)instance, (void)output;
  print("finish\n");
  return TROUPE_OK;
}

static int say(const char *text) {
  print(text);
  return (int)strlen(text);
}

static atomic_int is_held;
static void *hold(void *unused) {
  flockfile(stdin);
  atomic_store(&is_held, 1);
  pause();
  return unused;
}
static int hold_input(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, hold, NULL) != 0) return 0;
  while (!atomic_load(&is_held)) usleep(1000);
  printf("held ");
  return 1;
}

static const char *const tags[] = {"printing"};
static const troupe_transform functions = {.struct_size = sizeof functions, .feed = feed, .finish = finish};
static const troupe_factory factories[] = {
  TROUPE_CONTRACT_FACTORY("9b1e0000-0000-4000-8000-000000000001", "copy", tags, TROUPE_CONTRACT_TRANSFORM, &functions, free,
                          void *, create, (void)),
  TROUPE_FACTORY("9b1e0000-0000-4000-8000-000000000002", "say", tags, int, say, (const char *text)),
  TROUPE_FACTORY("9b1e0000-0000-4000-8000-000000000003", "hold_input", tags, int, hold_input, (void)),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  print("entry\n");
  for (size_t index = 0; index < sizeof factories / sizeof *factories; index++) {
    troupe_status status = registrar->register_factory(registrar, &factories[index]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

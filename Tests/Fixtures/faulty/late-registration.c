/* A plugin that registers after its entry has returned, and from another thread. */
#include <pthread.h>
#include <stdint.h>

#include <troupe.h>

#ifndef ID
#define ID "org.example.late-registration"
#endif

TROUPE_PLUGIN(ID, "Late registration", "1.0.0")

static const troupe_registrar *kept;
static troupe_status status_on_thread = -1;

static int32_t late(void);

static troupe_status add(const char *uuid, const char *name) {
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = uuid, .name = name, .signature = "int32_t ()", .function = TROUPE_FUNCTION(late)};
  return kept->register_factory(kept, &factory);
}

static int32_t late(void) { return add("1a7e0000-0000-4000-8000-000000000009", "too late"); }
static int32_t on_thread(void) { return status_on_thread; }

static void *run(void *unused) {
  (void)unused;
  status_on_thread = add("1a7e0000-0000-4000-8000-000000000008", "on a thread");
  return NULL;
}

static void *run_late(void *unused) {
  (void)unused;
  return (void *)(intptr_t)late();
}

static int32_t late_on_thread(void) {
  pthread_t thread;
  void *status = NULL;
  if (pthread_create(&thread, NULL, run_late, NULL) != 0) return -1;
  pthread_join(thread, &status);
  return (int32_t)(intptr_t)status;
}

static int32_t without_registrar(void) {
  troupe_factory factory = {.struct_size = sizeof factory};
  return kept->register_factory(NULL, &factory);
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  pthread_t thread;
  troupe_factory factories[] = {
    {.struct_size = sizeof *factories, .uuid = "1a7e0000-0000-4000-8000-000000000001", .name = "late", .signature = "int32_t ()",
     .function = TROUPE_FUNCTION(late)},
    {.struct_size = sizeof *factories, .uuid = "1a7e0000-0000-4000-8000-000000000002", .name = "on-thread", .signature = "int32_t ()",
     .function = TROUPE_FUNCTION(on_thread)},
    {.struct_size = sizeof *factories, .uuid = "1a7e0000-0000-4000-8000-000000000003", .name = "late-on-thread",
     .signature = "int32_t ()", .function = TROUPE_FUNCTION(late_on_thread)},
    {.struct_size = sizeof *factories, .uuid = "1a7e0000-0000-4000-8000-000000000004", .name = "without-registrar",
     .signature = "int32_t ()", .function = TROUPE_FUNCTION(without_registrar)},
  };
  kept = registrar;
  if (pthread_create(&thread, NULL, run, NULL) != 0) return TROUPE_FAILED;
  pthread_join(thread, NULL);
  for (int i = 0; i < 4; i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

/* A plugin that registers on another thread while its entry waits for that thread. */
#include <pthread.h>
#include <stdint.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.registers-on-thread", "Registers on thread", "1.0.0")

static int one(void) { return 1; }

static void *run(void *context) {
  const troupe_registrar *registrar = context;
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = "fa017000-0000-4000-8000-000000000105", .name = "one", .signature = "int ()",
    .function = TROUPE_FUNCTION(one)};
  return (void *)(intptr_t)registrar->register_factory(registrar, &factory);
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  pthread_t thread;
  void *status = NULL;
  if (pthread_create(&thread, NULL, run, (void *)registrar) != 0) return TROUPE_FAILED;
  pthread_join(thread, &status);
  return (troupe_status)(intptr_t)status;
}

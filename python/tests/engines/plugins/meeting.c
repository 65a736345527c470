/* A function whose calls wait for each other. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.meeting", "Meeting", "1.0.0")

static atomic_int present;

/* Returns whether as many calls run at once, and waits for them for up to 60 seconds. */
static bool meet(int32_t count) {
  atomic_fetch_add(&present, 1);
  for (int i = 0; i < 6000 && atomic_load(&present) < count; i++) usleep(10000);
  return atomic_load(&present) >= count;
}

static const troupe_factory factory = {
  .struct_size = sizeof factory, .uuid = "3ee70000-0000-4000-8000-000000000001", .name = "meet",
  .signature = "bool (int32_t count)", .function = TROUPE_FUNCTION(meet)};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  return registrar->register_factory(registrar, &factory);
}

/* A contract of its own, org.example.box/1: boxes of a number, one of them a singleton. Counts and logs destroyed boxes. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <troupe.h>

#ifndef ID
#define ID "org.example.boxes"
#endif
/* The last four digits of the UUIDs. */
#ifndef SERIES
#define SERIES "0000"
#endif

TROUPE_PLUGIN(ID, "Boxes", "1.0.0")

static const troupe_host *host;
static atomic_int made, ended;

static void *create(int64_t number) {
  if (number == 13) {
    host->fail(host, "13 brings bad luck");
    return NULL;
  }
  if (number == 14) return NULL;
  int64_t *box = malloc(sizeof *box);
  if (box != NULL) *box = number, made++;
  return box;
}

static void *create_only(void) { return create(7); }

static void destroy(void *instance) {
  char line[64];
  snprintf(line, sizeof line, "the box %" PRId64 " ends", *(int64_t *)instance);
  host->log(host, TROUPE_LOG_INFO, line);
  ended++;
  free(instance);
}

static int made_so_far(void) { return made; }
static int ended_so_far(void) { return ended; }

/* The interface for users of a box. */
static const struct {
  uint32_t struct_size;
  int32_t answer;
} table = {sizeof table, 42};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  static const char *const tags[] = {"box"}, *const only[] = {"box", "only"}, *const count[] = {"count"};
  const troupe_factory factories[] = {
    {.struct_size = sizeof *factories, .uuid = "b0e50000-0000-4000-8000-00000001" SERIES, .name = "box", .contract = "org.example.box/1",
     .signature = "pointer (int64_t number)", .function = TROUPE_FUNCTION(create), .destroy = destroy, .vtable = &table,
     .tags = tags, .tag_count = 1},
    {.struct_size = sizeof *factories, .uuid = "b0e50000-0000-4000-8000-00000002" SERIES, .name = "the box", .contract = "org.example.box/1",
     .signature = "pointer (void)", .function = TROUPE_FUNCTION(create_only), .destroy = destroy, .vtable = &table,
     .tags = only, .tag_count = 2, .lifetime = TROUPE_SINGLETON},
    {.struct_size = sizeof *factories, .uuid = "b0e50000-0000-4000-8000-00000003" SERIES, .name = "made", .signature = "int (void)",
     .function = TROUPE_FUNCTION(made_so_far), .tags = count, .tag_count = 1},
    {.struct_size = sizeof *factories, .uuid = "b0e50000-0000-4000-8000-00000004" SERIES, .name = "ended", .signature = "int (void)",
     .function = TROUPE_FUNCTION(ended_so_far), .tags = count, .tag_count = 1},
  };
  host = registrar->host;
  for (size_t i = 0; i < sizeof factories / sizeof *factories; i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

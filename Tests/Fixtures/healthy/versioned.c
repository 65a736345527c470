/* A plugin with versions: NUMBER is its function's result, ID and VERSION are its identity. If the host offers the service
 * org.example.census/1, it counts created and destroyed instances. */
#include <stdatomic.h>
#include <stdlib.h>
#include <troupe.h>

#ifndef ID
#define ID "org.example.versioned"
#endif
#ifndef VERSION
#define VERSION "1.0.0"
#endif
#ifndef NUMBER
#define NUMBER 1
#endif
#ifndef SUFFIX
#define SUFFIX "01"
#endif

#ifdef REQUIRES
TROUPE_PLUGIN_WITH(ID, "Versioned", VERSION, TROUPE_REQUIRES(REQUIRES))
#else
TROUPE_PLUGIN(ID, "Versioned", VERSION)
#endif

static int number(void) { return NUMBER; }

static struct census {
  _Atomic int64_t made, ended;
} *census;

/* A page for each instance, so that a leak is measurable. */
static void *make(void) {
  int *object = malloc(4096);
  if (object) *object = NUMBER;
  if (object && census) atomic_fetch_add(&census->made, 1);
  return object;
}

static void destroy(void *object) {
  if (census) atomic_fetch_add(&census->ended, 1);
  free(object);
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  static const char *const tags[] = {"versioned"};
  static const troupe_factory function =
    TROUPE_FACTORY("5e110000-0000-4000-8000-0000000000" SUFFIX, "number", tags, int, number, (void));
  static const troupe_factory object = {
    .struct_size = sizeof object, .lifetime = TROUPE_TRANSIENT, .uuid = "5e110000-0000-4000-8001-0000000000" SUFFIX, .name = "object",
    .contract = "org.example.versioned/1", .signature = "pointer (void)", .function = TROUPE_FUNCTION(make), .destroy = destroy,
    .tags = tags, .tag_count = 1};
  static const troupe_factory single = {
    .struct_size = sizeof single, .lifetime = TROUPE_SINGLETON, .uuid = "5e110000-0000-4000-8002-0000000000" SUFFIX, .name = "single",
    .contract = "org.example.versioned/1", .signature = "pointer (void)", .function = TROUPE_FUNCTION(make), .destroy = destroy,
    .tags = tags, .tag_count = 1};
  census = (struct census *)registrar->host->service(registrar->host, "org.example.census/1");
  troupe_status status = registrar->register_factory(registrar, &function);
  if (status == TROUPE_OK) status = registrar->register_factory(registrar, &object);
  if (status == TROUPE_OK) status = registrar->register_factory(registrar, &single);
#ifdef FAILS_WITH_CENSUS
  /* Does not fail in a probe, which has no services of the host. */
  if (census) return TROUPE_FAILED;
#endif
#ifdef FAILS
  return TROUPE_FAILED;
#else
  return status;
#endif
}

/* A plugin that registers another function than in its probe, which it recognizes by the limit of open files. */
#include <sys/resource.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.lying", "Lying", "1.0.0")

static int32_t promised(int32_t x) { return x; }
static double other(double x) { return x; }

static const troupe_factory in_probe =
  TROUPE_FACTORY("11e50000-0000-4000-8000-000000000001", "promised", TROUPE_NO_TAGS, int32_t, promised, (int32_t x));
static const troupe_factory later =
  TROUPE_FACTORY("11e50000-0000-4000-8000-000000000002", "other", TROUPE_NO_TAGS, double, other, (double x));

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  struct rlimit limit;
  int is_probe = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == 256;
  return registrar->register_factory(registrar, is_probe ? &in_probe : &later);
}

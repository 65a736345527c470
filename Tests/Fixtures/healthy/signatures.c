/* Functions whose signatures are made by the header's macros, with every supported type. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.signatures", "Signatures", "1.0.0")

static double area(double width, double height) { return width * height; }
static const char *nothing(void) { return NULL; }
static void forget(int32_t number) { (void)number; }
static bool both(bool a, bool b) { return a && b; }
static int64_t sum(int8_t a, uint8_t b, short c, unsigned short d, int e, unsigned f, long g, unsigned long h,
                   long long i, float j, double k, char l) {
  return a + b + c + d + e + (int64_t)f + g + (int64_t)h + i + (int64_t)j + (int64_t)k + l;
}
static size_t length(const char *text) { return text == NULL ? 0 : strlen(text); }
static const void *same(FILE *file) { return file; }
static uint32_t resolver_size(const troupe_resolver *resolver, uint32_t more) { return resolver->struct_size + more; }

static const char *const tags[] = {"macro", "signature"};
static const troupe_factory factories[] = {
  TROUPE_FACTORY("51c7a700-0000-4000-8000-000000000000", "area", tags, double, area, (double width, double height)),
  TROUPE_FACTORY("51c7a700-0000-4000-8000-000000000001", "nothing", tags, const char *, nothing, (void)),
  TROUPE_FACTORY("51c7a700-0000-4000-8000-000000000002", "forget", tags, void, forget, (int32_t)),
  TROUPE_FACTORY("51c7a700-0000-4000-8000-000000000003", "both", tags, bool, both, (bool a, bool b)),
  TROUPE_FACTORY("51c7a700-0000-4000-8000-000000000004", "sum", tags, int64_t, sum,
                 (int8_t a, uint8_t b, short c, unsigned short d, int e, unsigned f, long g, unsigned long h,
                  long long i, float j, double k, char l)),
  TROUPE_FACTORY("51c7a700-0000-4000-8000-000000000005", "length", tags, size_t, length, (char const *text)),
  TROUPE_FACTORY("51c7a700-0000-4000-8000-000000000006", "same", tags,
                 const void *, same, (TROUPE_POINTER(FILE, file))),
  TROUPE_FACTORY("51c7a700-0000-4000-8000-000000000007", "resolver_size", TROUPE_NO_TAGS,
                 uint32_t, resolver_size, (TROUPE_RESOLVER, uint32_t more)),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  for (size_t i = 0; i < sizeof factories / sizeof *factories; i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

/*
 * order.c - an example plugin: callback functions for other functions
 *
 * Each compares the two integers that its arguments point to, as qsort requires. They keep no state, so they may be
 * called on several threads at once.
 */
#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example.order", "Order", "1.0.0",
                   TROUPE_PLUGIN_DESCRIPTION("Comparisons for functions that sort, such as qsort."))

/* a - b would overflow. */
static int compare_int32(const void *a, const void *b) {
  int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
  return (left > right) - (left < right);
}

static int compare_int32_descending(const void *a, const void *b) {
  return compare_int32(b, a);
}

static const char *const tags[] = {"order"};

static const troupe_metadata ascending_texts[] = {
  TROUPE_DESCRIPTION("Compares the 32-bit integers at two addresses, for an ascending order.")};
static const troupe_metadata descending_texts[] = {
  TROUPE_DESCRIPTION("Compares the 32-bit integers at two addresses, for a descending order.")};

static const troupe_factory factories[] = {
  TROUPE_FACTORY_WITH(ascending_texts, "5050fb27-7c39-46d8-8f1f-05c6fb695348", "compare_int32", tags,
                      int, compare_int32, (const void *a, const void *b)),
  TROUPE_FACTORY_WITH(descending_texts, "26d486ea-76fd-429e-b364-c90ddbd7d8fe", "compare_int32_descending", tags,
                      int, compare_int32_descending, (const void *a, const void *b)),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  for (size_t i = 0; i < sizeof factories / sizeof *factories; i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

/* A plugin with functions that write large buffers. At exit it writes the peak memory of the process in KiB to standard error. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <troupe.h>
TROUPE_PLUGIN("org.example.numbers", "Numbers", "1.0.0")

__attribute__((destructor)) static void peak(void) {
  char line[256];
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status)) if (!strncmp(line, "VmHWM:", 6)) fputs(line, stderr);
}

static void count_up(double *values, size_t n) { for (size_t i = 0; i < n; i++) values[i] = (double)i / 4; }
struct point { double x, y; };
static void points(struct point *points, size_t n) { for (size_t i = 0; i < n; i++) points[i] = (struct point){(double)i, 0.5}; }
static double *result(int64_t claimed, int64_t *length) {
  static double values[] = {1, 2.5};
  *length = claimed;
  return values;
}
static const char *const tags[] = {"numbers"};
static const troupe_factory factories[] = {
  {.struct_size = sizeof(troupe_factory), .uuid = "9b1e0000-0000-4000-8000-000000000011", .name = "count_up",
   .tags = tags, .tag_count = 1, .signature = "void (out double values[n], size_t n)", .function = TROUPE_FUNCTION(count_up)},
  {.struct_size = sizeof(troupe_factory), .uuid = "9b1e0000-0000-4000-8000-000000000012", .name = "result",
   .tags = tags, .tag_count = 1, .signature = "double[length] (int64_t claimed, out int64_t *length)",
   .function = TROUPE_FUNCTION(result)},
  {.struct_size = sizeof(troupe_factory), .uuid = "9b1e0000-0000-4000-8000-000000000013", .name = "points",
   .tags = tags, .tag_count = 1, .signature = "void (out struct point { double x; double y; } points[n], size_t n)",
   .function = TROUPE_FUNCTION(points)},
};
TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  for (size_t i = 0; i < 3; i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

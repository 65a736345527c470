/* A plugin with two manifests. The first is used. */
#include <stdint.h>

#include <troupe.h>

#define MANIFEST "{\"id\":\"org.example.two-notes\",\"name\":\"First\",\"version\":\"1.0.0\",\"language\":\"c\",\"abi\":\"1.0\"}"

static const struct {
  uint32_t name_size, content_size, type;
  char name[8], content[(sizeof MANIFEST + 3) / 4 * 4];
} notes[] __attribute__((used, aligned(4), section(".note.troupe"))) = {
  {7, sizeof MANIFEST, TROUPE_NOTE_TYPE, "Troupe", MANIFEST}, {7, 4, TROUPE_NOTE_TYPE, "Troupe", "{}"}};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

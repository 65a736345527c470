/* A plugin whose note has another name. */
#include <stdint.h>

#include <troupe.h>

static const struct {
  uint32_t name_size, content_size, type;
  char name[8], content[80];
} note __attribute__((used, aligned(4), section(".note.troupe"))) = {7, 78, TROUPE_NOTE_TYPE, "Trouge", "{\"id\":\"org.example.x\",\"name\":\"X\",\"version\":\"1.0.0\",\"language\":\"c\",\"abi\":\"1.0\"}"};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}

/* A plugin whose entry fails unless it can write the file MARK, as in a worker. */
#include <stdio.h>
#include <troupe.h>

TROUPE_PLUGIN("org.example.writer", "Writer", "1.0.0")

static int twice(int number) { return number; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  static const troupe_metadata texts[] = {TROUPE_DESCRIPTION("D."), TROUPE_EXAMPLE("1", "1")};
  static const troupe_factory factory = TROUPE_FACTORY_WITH(
    texts, "cf5fb1a4-7a0e-4d4c-9e05-6d0b6c2f3c02", "twice", TROUPE_NO_TAGS, int, twice, (int number));
  FILE *file = fopen(MARK, "w");
  if (!file) return TROUPE_FAILED;
  fclose(file);
  return registrar->register_factory(registrar, &factory);
}

/* refused: make is not a function of the type int * (void) */
#include <stdlib.h>
#include <troupe.h>
static void *make(void) { return malloc(1); }
static const char *const tags[] = {"store"};
extern const troupe_factory area_factory;
const troupe_factory area_factory = TROUPE_CONTRACT_FACTORY(
  "2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10", "store", tags, "org.example.store/1", NULL, free, int *, make, (void));

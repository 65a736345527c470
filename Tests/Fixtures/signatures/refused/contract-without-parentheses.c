/* refused: are not in parentheses: behind the name write tags, contract, vtable, destroy, result, function, (parameters) */
#include <stdlib.h>
#include <troupe.h>
static void *make(int size) { return malloc(size); }
static const char *const tags[] = {"store"};
extern const troupe_factory store_factory;
const troupe_factory store_factory = TROUPE_CONTRACT_FACTORY(
  "2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10", "store", tags, "org.example.store/1", NULL, free, void *, make, int size);

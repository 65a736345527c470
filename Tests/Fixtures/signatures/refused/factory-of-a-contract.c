/* refused: for a contract use TROUPE_CONTRACT_FACTORY */
#include <troupe.h>
static void *make(void) { return NULL; }
extern const troupe_factory encoder_factory;
const troupe_factory encoder_factory = TROUPE_FACTORY(
  "2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10", "encode", TROUPE_NO_TAGS, TROUPE_CONTRACT_TRANSFORM, void *, make, (void));

/* refused: are not in parentheses: behind the name write tags, result, function, (parameters) */
#include <troupe.h>
static double one(void) { return 1; }
extern const troupe_factory one_factory;
const troupe_factory one_factory = TROUPE_FACTORY("2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10", "one", TROUPE_NO_TAGS, double, one);

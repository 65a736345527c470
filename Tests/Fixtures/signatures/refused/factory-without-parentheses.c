/* refused: are not in parentheses: behind the name write tags, result, function, (parameters); for a contract use TROUPE_CONTRACT_FACTORY */
#include <troupe.h>
static double half(double number) { return number / 2; }
static const char *const tags[] = {"arithmetic"};
extern const troupe_factory half_factory;
const troupe_factory half_factory = TROUPE_FACTORY(
  "2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10", "half", tags, double, half, double number);

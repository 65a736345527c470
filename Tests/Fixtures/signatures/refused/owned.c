/* refused: release */
#include <troupe.h>
char *copy(const char *text);
const char *signature(void) { return TROUPE_SIGNATURE(TROUPE_OWNED(release, char *), copy, (const char *text)); }

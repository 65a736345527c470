/* refused: length is not a function of the type size_t (const char *text) */
#include <troupe.h>
static size_t length(char *text) { return text[0] != 0; }
const char *signature(void) { return TROUPE_SIGNATURE(size_t, length, (const char *text)); }

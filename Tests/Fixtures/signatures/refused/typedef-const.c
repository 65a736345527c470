/* refused: not a type that a signature knows: const my_char *text */
#include <troupe.h>
typedef char my_char;
static int first(const my_char *text) { return text[0]; }
const char *signature(void) { return TROUPE_SIGNATURE(int, first, (const my_char *text)); }

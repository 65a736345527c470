/* refused: hash is not a function of the type int (unsigned seed) */
#include <troupe.h>
static unsigned hash(unsigned seed) { return seed * 31; }
const char *signature(void) { return TROUPE_SIGNATURE(int, hash, (unsigned seed)); }

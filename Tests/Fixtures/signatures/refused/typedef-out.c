/* refused: not a type that a signature knows: out my_size *count */
#include <troupe.h>
typedef size_t my_size;
static void count_up(my_size *count) { *count = 1; }
const char *signature(void) { return TROUPE_SIGNATURE(void, count_up, (TROUPE_OUT(my_size *count))); }

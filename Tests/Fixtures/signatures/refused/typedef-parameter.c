/* refused: not a type that a signature knows: my_size count */
#include <troupe.h>
typedef size_t my_size;
static my_size twice(my_size count) { return 2 * count; }
const char *signature(void) { return TROUPE_SIGNATURE(size_t, twice, (my_size count)); }

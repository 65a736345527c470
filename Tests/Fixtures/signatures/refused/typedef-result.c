/* refused: not a type that a signature knows: my_size */
#include <troupe.h>
typedef size_t my_size;
static my_size twice(my_size count) { return 2 * count; }
const char *signature(void) { return TROUPE_SIGNATURE(my_size, twice, (size_t count)); }

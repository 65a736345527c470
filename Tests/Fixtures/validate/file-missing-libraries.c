/* before: echo 'int absent(void) { return 1; }' | cc -shared -fPIC -Wl,-soname,libtroupe-absent.so -o "$directory/libtroupe-absent.so" -x c - */
/* cc: -L$directory -ltroupe-absent */
/* after: rm "$directory/libtroupe-absent.so" */
extern int absent(void);
#define ENTRY if (absent() != 1) return TROUPE_FAILED;
#include "good.h"

/* before: echo 'int absent(void) { return 1; }' | cc -shared -fPIC -Wl,-soname,libtroupe-absent.so -o "$folder/libtroupe-absent.so" -x c - */
/* cc: -L$folder -ltroupe-absent */
/* after: rm "$folder/libtroupe-absent.so" */
extern int absent(void);
#define ENTRY if (absent() != 1) return TROUPE_FAILED;
#include "good.h"

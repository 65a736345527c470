/* after: printf '\363\000' | dd of="$file" bs=1 seek=18 conv=notrunc status=none */
#include "good.h"

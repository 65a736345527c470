/* after: chmod 666 "$file" */
#include "good.h"

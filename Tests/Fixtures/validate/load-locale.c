#include <locale.h>
#define ENTRY if (setlocale(LC_ALL, "C.UTF-8") == NULL) return TROUPE_FAILED;
#include "good.h"

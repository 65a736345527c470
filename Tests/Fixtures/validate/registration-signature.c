/* cc: -g */
#define SUM static double sum(double first, float second) { return first + second; }
#define SIGNATURE "double (double first, double second)"
#include "good.h"

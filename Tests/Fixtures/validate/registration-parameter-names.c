#define SUM static double sum(double first, double second) { return first + second; }
#define SIGNATURE "double (double, double)"
#include "good.h"

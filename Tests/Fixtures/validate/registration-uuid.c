#define TRANSFORM_UUID "8d5b1f06-2c6e-1d3c-9f6a-0c1d5a7e9b11"
#define SUM_UUID "8d5b1f06-2c6e-4d3c-9f6a-0c1d5a7e9b12"
#include "good.h"

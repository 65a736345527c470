/* The other plugin of the command line. */
#define PLUGIN_ID "org.example.companion"
#define TRANSFORM_UUID "8d5b1f06-2c6e-4d3c-9f6a-0c1d5a7e9c21"
#define SUM_UUID "8d5b1f06-2c6e-4d3c-9f6a-0c1d5a7e9c22"
#include "good.h"

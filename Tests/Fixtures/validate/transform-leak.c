#define FINISH                               \
  char *text = malloc(64);                   \
  if (text) memset(text, 1, 64);             \
  __asm__ volatile("" : : "r"(text) : "memory"); \
  return output->write(output, &self->count, sizeof self->count);
#include "good.h"

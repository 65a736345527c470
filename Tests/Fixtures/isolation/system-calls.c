/* Prints the table of system calls: a number and a name in each line. */
#include <stdio.h>
#include "system_calls.h"

int main(void) {
  struct troupe_system_call call;
  for (size_t index = 0; (call = troupe_system_call_at(index)).name; index++) printf("%d %s\n", call.number, call.name);
}

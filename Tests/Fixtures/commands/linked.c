/* A library whose constructor appends a byte to the file LOADS of the environment, and then runs the statements CONSTRUCTOR. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((visibility("default"))) int linked(void) { return 7; }

__attribute__((constructor)) static void load(void) {
  int file = open(getenv("LOADS"), O_WRONLY | O_APPEND | O_CREAT, 0600);
  (void)!write(file, "x", 1);
  close(file);
  CONSTRUCTOR;
}

/* A library to adopt that creates the file TRACE when it is opened. */
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void run(void) { close(open(TRACE, O_CREAT | O_WRONLY, 0600)); }

__attribute__((visibility("default"))) int seven(void) { return 7; }

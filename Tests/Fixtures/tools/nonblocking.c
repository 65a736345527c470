/* Makes standard input and output non-blocking, as another program that shares them may, and executes the given command. */
#include <fcntl.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count < 2) return 64;
  fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
  fcntl(STDOUT_FILENO, F_SETFL, fcntl(STDOUT_FILENO, F_GETFL) | O_NONBLOCK);
  execv(arguments[1], arguments + 1);
  return 70;
}

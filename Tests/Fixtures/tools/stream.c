/*
 * stream.c - a tool of the tests: long streams, and the peak memory of a program that reads them
 *
 *     stream write COUNT           writes COUNT pseudo-random bytes
 *     stream check COUNT           reads standard input and succeeds if it is exactly what `write COUNT` writes
 *     stream measure FILE PROGRAM  runs PROGRAM, with its arguments, and writes its exit status and its peak resident memory
 *                                  in KiB to FILE
 *
 * A test cannot measure this itself because Linux counts the memory before exec, and a test process is large.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { piece_size = 1 << 16 };

/* The next piece of the stream: xorshift64 by Marsaglia, whose state must not be 0. */
static void fill(unsigned char *piece) {
  static uint64_t state = 0x9E3779B97F4A7C15;
  for (size_t i = 0; i < piece_size; i += sizeof state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    memcpy(piece + i, &state, sizeof state);
  }
}

static int write_stream(size_t count) {
  static unsigned char piece[piece_size];
  for (size_t size; count > 0; count -= size) {
    fill(piece);
    size = count < piece_size ? count : piece_size;
    if (fwrite(piece, 1, size, stdout) != size) return 1;
  }
  return fflush(stdout) != 0;
}

static int check_stream(size_t count) {
  static unsigned char piece[piece_size], input[piece_size];
  for (size_t size, position = 0; position < count; position += size) {
    fill(piece);
    size = count - position < piece_size ? count - position : piece_size;
    size_t got = fread(input, 1, size, stdin);
    if (got != size || memcmp(piece, input, size) != 0) {
      fprintf(stderr, "the stream differs within the %zu bytes from %zu on; %zu came\n", size, position, got);
      return 1;
    }
  }
  if (getchar() == EOF) return 0;
  fprintf(stderr, "the stream is longer than %zu bytes\n", count);
  return 1;
}

static int measure(const char *file, char **command) {
  pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    execv(*command, command);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child) return 1;
  FILE *report = fopen(file, "w");
  if (report == NULL) return 1;
  fprintf(report, "%d %ld", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), usage.ru_maxrss);
  return fclose(report) != 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "write") == 0) return write_stream(strtoull(argv[2], NULL, 10));
  if (argc == 3 && strcmp(argv[1], "check") == 0) return check_stream(strtoull(argv[2], NULL, 10));
  if (argc >= 4 && strcmp(argv[1], "measure") == 0) return measure(argv[2], argv + 3);
  fprintf(stderr, "usage: stream write COUNT | check COUNT | measure FILE PROGRAM [ARGUMENT ...]\n");
  return 64;
}

// header: popt.h
// package: popt
#include <popt.h>
#include <stdio.h>
int main(void) {
  struct poptOption options[] = {{"count", 'c', POPT_ARG_INT, NULL, 1, NULL, NULL}, {NULL, 0, 0, NULL, 0, NULL, NULL}};
  const char *arguments[] = {"program", "--count=7", "rest", NULL};
  poptContext context = poptGetContext("program", 3, arguments, options, 0);
  printf("%d\n", poptGetNextOpt(context));
  printf("%s\n", poptGetOptArg(context));
}

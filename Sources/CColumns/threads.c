#include "columns.h"

#include <pthread.h>
#include <stdlib.h>

struct task {
  void (*body)(void *context, size_t index);
  void *context;
  size_t index;
  pthread_t thread;
};

static void *run(void *argument) {
  struct task *task = argument;
  task->body(task->context, task->index);
  return NULL;
}

void columns_run(size_t count, void (*body)(void *context, size_t index), void *context) {
  struct task *tasks = count > 1 ? calloc(count, sizeof *tasks) : NULL;
  size_t started = tasks ? 1 : 0;
  for (; tasks && started < count; started++) {
    tasks[started] = (struct task){body, context, started, 0};
    if (pthread_create(&tasks[started].thread, NULL, run, &tasks[started]) != 0) break;
  }
  if (count > 0) body(context, 0);
  for (size_t index = started > 1 ? started : 1; index < count; index++) body(context, index);
  for (size_t index = 1; index < started; index++) pthread_join(tasks[index].thread, NULL);
  free(tasks);
}

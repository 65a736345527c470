/* Events by descriptor and by callback, and shutdown. Argument: plugins. */
#include <poll.h>
#include <pthread.h>

#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int heard;
static char heard_state[20], heard_previous[20];

static void hear(void *context, const troupe_event *event) {
  pthread_mutex_lock(&lock);
  CHECK(event->struct_size == sizeof *event && event->previous != NULL && strcmp(event->plugin->id, "org.example.twin") == 0);
  // It may call the host.
  troupe_plugin_list *list = troupe_host_plugins(context);
  CHECK(list->count > 0);
  troupe_plugin_list_free(list);
  heard++;
  snprintf(heard_state, sizeof heard_state, "%s", event->plugin->state);
  snprintf(heard_previous, sizeof heard_previous, "%s", event->previous);
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&lock);
}

static int is_readable(troupe_event_queue *queue) {
  struct pollfd descriptor = {.fd = troupe_event_queue_descriptor(queue), .events = POLLIN};
  return poll(&descriptor, 1, 0);
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  troupe_host_t *host = start_host(1, (const char *const *)arguments + 1);
  troupe_error *error = NULL;
  troupe_event_queue *queue = troupe_event_queue_new(host, &error), *unread = troupe_event_queue_new(host, &error);
  troupe_event_listener *listener = troupe_event_listener_new(host, hear, host, &error);
  CHECK_NO_ERROR(error);
  CHECK(!is_readable(queue) && troupe_event_queue_next(queue) == NULL && !troupe_event_queue_has_ended(queue));

  CHECK(troupe_host_retire(host, "org.example.twin", &error) == TROUPE_OK);
  CHECK_NO_ERROR(error);
  CHECK(is_readable(queue) && is_readable(queue));
  const troupe_event *event = troupe_event_queue_next(queue);
  CHECK(event != NULL && event->struct_size == sizeof *event && strcmp(event->plugin->id, "org.example.twin") == 0);
  CHECK(strcmp(event->plugin->state, "draining") == 0 && strcmp(event->previous, "active") == 0 && is_readable(queue));
  event = troupe_event_queue_next(queue);
  CHECK(event != NULL && strcmp(event->plugin->state, "retired") == 0 && strcmp(event->previous, "draining") == 0);
  CHECK(troupe_event_queue_next(queue) == NULL && !is_readable(queue));

  pthread_mutex_lock(&lock);
  while (heard < 2) pthread_cond_wait(&condition, &lock);
  CHECK(strcmp(heard_state, "retired") == 0 && strcmp(heard_previous, "draining") == 0);
  pthread_mutex_unlock(&lock);
  troupe_event_listener_free(listener);
  troupe_event_listener_free(NULL);
  int heard_before = heard;

  // The shutdown retires the others, and ends the queue.
  troupe_host_shutdown(host);
  CHECK(troupe_event_queue_has_ended(queue) && is_readable(queue));
  size_t events = 0;
  while ((event = troupe_event_queue_next(queue)) != NULL) {
    CHECK(strcmp(event->plugin->state, "retired") == 0 || strcmp(event->plugin->state, "draining") == 0);
    events++;
  }
  CHECK(events > 1 && is_readable(queue) && heard == heard_before);
  CHECK(troupe_host_function(host, "area", &error) == NULL);
  CHECK_ERROR(error, "notRegistered", TROUPE_NOT_FOUND);
  troupe_event_queue *late = troupe_event_queue_new(host, &error);
  CHECK(late != NULL && troupe_event_queue_has_ended(late) && is_readable(late) && troupe_event_queue_next(late) == NULL);
  troupe_event_queue_free(late);
  troupe_host_free(host);
  // A queue outlives its host.
  CHECK(troupe_event_queue_has_ended(unread) && troupe_event_queue_next(unread) != NULL);
  troupe_event_queue_free(unread);
  troupe_event_queue_free(queue);
  troupe_event_queue_free(NULL);
  return 0;
}

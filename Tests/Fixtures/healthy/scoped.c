/* A scoped session, and a task that resolves the session with its own resolver. */
#include <stdatomic.h>
#include <stdlib.h>
#include <troupe.h>

TROUPE_PLUGIN("org.example.scoped", "Scoped", "1.0.0")

static _Atomic int made, ended;

static void *make_session(void) {
  int *session = malloc(sizeof *session);
  if (session) *session = atomic_fetch_add(&made, 1) + 1;
  return session;
}

static void end_session(void *session) {
  atomic_fetch_add(&ended, 1);
  free(session);
}

typedef struct task {
  /* The number of the session. */
  int session;
  const troupe_resolver *resolver;
  troupe_instance instance;
} task;

static troupe_status resolve_session(const troupe_resolver *resolver, troupe_instance *instance) {
  const troupe_query query = {.struct_size = sizeof query, .contract = "org.example.session/1"};
  return resolver->resolve(resolver, &query, instance);
}

static void *make_task(const troupe_resolver *resolver) {
  task *self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  if (resolve_session(resolver, &self->instance) != TROUPE_OK) {
    free(self);
    return NULL;
  }
  self->session = *(int *)self->instance.object;
  self->resolver = resolver;
  return self;
}

static void *make_numbered_task(const troupe_resolver *resolver, int number) {
  task *self = make_task(resolver);
  if (self) self->session += 1000 * number;
  return self;
}

static void end_task(void *object) {
  task *self = object;
  self->resolver->release(self->resolver, self->instance);
  free(self);
}

/* Resolves the session again, as the task does; minus the status if that fails. */
static int session_of(void *object) {
  task *self = object;
  troupe_instance instance;
  troupe_status status = resolve_session(self->resolver, &instance);
  if (status != TROUPE_OK) return -status;
  int session = *(int *)instance.object;
  self->resolver->release(self->resolver, instance);
  return session;
}

static int made_sessions(void) { return made; }
static int ended_sessions(void) { return ended; }

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  const troupe_factory factories[] = {
    {.struct_size = sizeof(troupe_factory), .lifetime = TROUPE_SCOPED, .uuid = "5c09ed00-0000-4000-8000-000000000001",
     .name = "session", .contract = "org.example.session/1", .signature = "pointer (void)",
     .function = TROUPE_FUNCTION(make_session), .destroy = end_session},
    {.struct_size = sizeof(troupe_factory), .uuid = "5c09ed00-0000-4000-8000-000000000002", .name = "task",
     .contract = "org.example.task/1", .signature = "pointer (resolver)", .function = TROUPE_FUNCTION(make_task),
     .destroy = end_task},
    {.struct_size = sizeof(troupe_factory), .uuid = "5c09ed00-0000-4000-8000-000000000003", .name = "numbered task",
     .contract = "org.example.task/1", .signature = "pointer (resolver, int number)",
     .function = TROUPE_FUNCTION(make_numbered_task), .destroy = end_task},
    {.struct_size = sizeof(troupe_factory), .lifetime = TROUPE_SINGLETON, .uuid = "5c09ed00-0000-4000-8000-000000000004",
     .name = "only task", .contract = "org.example.task/1", .signature = "pointer (resolver)",
     .function = TROUPE_FUNCTION(make_task), .destroy = end_task},
    TROUPE_FACTORY("5c09ed00-0000-4000-8000-000000000005", "session-of", TROUPE_NO_TAGS, int, session_of,
                   (TROUPE_POINTER(void, task))),
    TROUPE_FACTORY("5c09ed00-0000-4000-8000-000000000006", "made", TROUPE_NO_TAGS, int, made_sessions, (void)),
    TROUPE_FACTORY("5c09ed00-0000-4000-8000-000000000007", "ended", TROUPE_NO_TAGS, int, ended_sessions, (void)),
  };
  for (size_t index = 0; index < sizeof factories / sizeof *factories; index++) {
    troupe_status status = registrar->register_factory(registrar, &factories[index]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

/*
 * Objects with a contract of their own, and a stage that resolves them.
 *
 * Two factories make counters, whose interface is counter.h: one counter for each text that is processed, and one for
 * all. The stage numbers the lines of a text with the first, and counts the lines of all texts with the second.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <troupe.h>

#include "counter.h"

TROUPE_PLUGIN_WITH("@ID@", "@TITLE@", "0.1.0",
                   TROUPE_PROVIDES(COUNTER_CONTRACT),
                   TROUPE_SETTINGS(TROUPE_SETTING_INTEGER("start", 1, 0, 1000000, "The first number of each counter")))

/* Factories do not get the host as an argument. troupe_plugin_main stores it here once, before other code runs. */
static const troupe_host *host;

/* The counter. Several threads may use the one that is shared, so that its number is atomic. */

typedef struct counter {
  _Atomic int64_t next;
} counter;

static void *counter_create(void) {
  troupe_value start;
  if (host->setting(host, "start", &start) != TROUPE_OK) return NULL;
  counter *self = malloc(sizeof *self);
  if (self == NULL) {
    host->fail(host, "there is not enough memory for a counter");
    return NULL;
  }
  atomic_init(&self->next, start.as.int64);
  return self;
}

static int64_t counter_next(void *instance) {
  counter *self = instance;
  return atomic_fetch_add(&self->next, 1);
}

static const counter_interface counter_functions = {.struct_size = sizeof(counter_interface), .next = counter_next};

/* The stage. It keeps the resolved counters until it is destroyed. */

typedef struct numbering {
  const troupe_resolver *resolver;
  troupe_instance of_text, of_all;
  /* The last number of the counter for all texts. */
  int64_t last;
  /* Whether the number of the current line is written. */
  int begun;
} numbering;

/* Resolves the counter with a tag; on failure, reports the reason to the host. */
static int resolve_counter(const troupe_resolver *resolver, const char *tag, troupe_instance *instance) {
  const char *const tags[] = {"@NAME@", tag};
  const troupe_query query = {.struct_size = sizeof query, .contract = COUNTER_CONTRACT, .tags = tags, .tag_count = 2};
  if (resolver->resolve(resolver, &query, instance) == TROUPE_OK) return 1;
  const char *reason = resolver->message(resolver);
  host->fail(host, reason == NULL ? "a counter cannot be resolved" : reason);
  return 0;
}

static int64_t next_number(troupe_instance counter) {
  const counter_interface *functions = counter.vtable;
  return functions->next(counter.object);
}

static void *numbering_create(const troupe_resolver *resolver) {
  numbering made = {.resolver = resolver};
  if (!resolve_counter(resolver, "@NAME@-of-text", &made.of_text)) return NULL;
  if (!resolve_counter(resolver, "@NAME@-of-all", &made.of_all)) {
    resolver->release(resolver, made.of_text);
    return NULL;
  }
  numbering *self = malloc(sizeof *self);
  if (self == NULL) {
    host->fail(host, "there is not enough memory to number lines");
    resolver->release(resolver, made.of_all);
    resolver->release(resolver, made.of_text);
    return NULL;
  }
  *self = made;
  return self;
}

static void numbering_destroy(void *instance) {
  numbering *self = instance;
  self->resolver->release(self->resolver, self->of_all);
  self->resolver->release(self->resolver, self->of_text);
  free(self);
}

static troupe_status numbering_feed(void *instance, const void *bytes, size_t count, const troupe_output *output) {
  numbering *self = instance;
  const char *next = bytes;
  while (count > 0) {
    if (!self->begun) {
      char number[32];
      int length = snprintf(number, sizeof number, "%" PRId64 "\t", next_number(self->of_text));
      self->last = next_number(self->of_all);
      troupe_status status = output->write(output, number, (size_t)length);
      if (status != TROUPE_OK) return status;
    }
    const char *newline = memchr(next, '\n', count);
    size_t length = newline == NULL ? count : (size_t)(newline - next) + 1;
    troupe_status status = output->write(output, next, length);
    if (status != TROUPE_OK) return status;
    self->begun = newline == NULL;
    next += length;
    count -= length;
  }
  return TROUPE_OK;
}

static troupe_status numbering_finish(void *instance, const troupe_output *output) {
  numbering *self = instance;
  (void)output;  /* `feed` has written everything. */
  char line[80];
  snprintf(line, sizeof line, "%" PRId64 " is the last number of all texts", self->last);
  host->log(host, TROUPE_LOG_INFO, line);
  return TROUPE_OK;
}

static const troupe_transform numbering_functions = {
  .struct_size = sizeof(troupe_transform),
  .feed = numbering_feed,
  .finish = numbering_finish,
};

static const char *const of_text_tags[] = {"@NAME@", "@NAME@-of-text"};
static const char *const of_all_tags[] = {"@NAME@", "@NAME@-of-all"};
static const char *const stage_tags[] = {"@NAME@"};
static const troupe_metadata about_of_text[] = {TROUPE_DESCRIPTION("Makes a counter for each text."), {"unit", "lines"}};
static const troupe_metadata about_of_all[] = {TROUPE_DESCRIPTION("Makes one counter for all texts."), {"unit", "lines"}};
static const troupe_metadata about_stage[] = {TROUPE_DESCRIPTION("Numbers the lines of a text, and counts the lines of all.")};

static const troupe_factory factories[] = {
  TROUPE_CONTRACT_FACTORY_WITH(TROUPE_SCOPED, about_of_text, "@UUID1@", "@NAME@-of-text",
                               of_text_tags, COUNTER_CONTRACT, &counter_functions, free, void *, counter_create, (void)),
  TROUPE_CONTRACT_FACTORY_WITH(TROUPE_SINGLETON, about_of_all, "@UUID2@", "@NAME@-of-all",
                               of_all_tags, COUNTER_CONTRACT, &counter_functions, free, void *, counter_create, (void)),
  TROUPE_CONTRACT_FACTORY_WITH(TROUPE_TRANSIENT, about_stage, "@UUID3@", "@NAME@",
                               stage_tags, TROUPE_CONTRACT_TRANSFORM, &numbering_functions, numbering_destroy,
                               void *, numbering_create, (TROUPE_RESOLVER)),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  host = registrar->host;
  for (size_t i = 0; i < sizeof factories / sizeof *factories; i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

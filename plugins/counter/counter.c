/*
 * counter.c - an example plugin: a contract of its own, and a factory that resolves an instance of that contract
 *
 * "counter" makes objects with state from arguments; counter.h is their interface. "number-lines" is a transform that
 * numbers lines as `cat -n` does, with the numbers of a counter from any plugin.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <troupe.h>

#include "counter.h"

TROUPE_PLUGIN_WITH("org.example.counter", "Counter", "1.0.0",
                   TROUPE_PLUGIN_DESCRIPTION("A counter under a contract of its own, and a transform that numbers lines with it."))

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Factories do not get the host as an argument. troupe_plugin_main stores it here once, before other code runs. */
static const troupe_host *host;

/* ---------------------------------------------------------------------------------------------------------------- */
/* The counter                                                                                                      */
/* ---------------------------------------------------------------------------------------------------------------- */

typedef struct counter {
  int64_t value;
  int64_t step;
} counter;

static void *counter_create(int64_t start, int64_t step) {
  if (step == 0) {
    host->fail(host, "the step of a counter must not be 0");
    return NULL;
  }
  counter *self = malloc(sizeof *self);
  if (self == NULL) {
    host->fail(host, "there is not enough memory for a counter");
    return NULL;
  }
  self->value = start;
  self->step = step;
  return self;
}

static int64_t counter_next(void *instance) {
  counter *self = instance;
  int64_t value = self->value;
  /* The test precedes the addition: an overflow of signed numbers is undefined in C. */
  int fits = self->step > 0 ? value <= INT64_MAX - self->step : value >= INT64_MIN - self->step;
  if (fits) self->value = value + self->step;
  return value;
}

static int64_t counter_value(const void *instance) {
  const counter *self = instance;
  return self->value;
}

static const counter_interface counter_functions = {
  .struct_size = sizeof(counter_interface),
  .next = counter_next,
  .value = counter_value,
};

/* ---------------------------------------------------------------------------------------------------------------- */
/* Numbered lines                                                                                                   */
/* ---------------------------------------------------------------------------------------------------------------- */

typedef struct numbering {
  /* The resolver that returned the counter and releases it. Valid for as long as the plugin is loaded. */
  const troupe_resolver *resolver;
  troupe_instance counter;
  /* The table of the counter: counter.vtable with its type. */
  const counter_interface *functions;
  /* 1 if the next byte begins a line. */
  int at_line_start;
  /* Output to be written, so that many short lines are written at a time. */
  size_t ready;
  char buffer[32768];
} numbering;

/* Resolves the counter that returns 1, 2, 3, …; on failure, reports the reason to the host. */
static troupe_status resolve_counter(const troupe_resolver *resolver, troupe_instance *instance) {
  static const char *const tags[] = {"counter"};
  const troupe_value arguments[] = {
    {.kind = TROUPE_VALUE_INT64, .as.int64 = 1},  /* start */
    {.kind = TROUPE_VALUE_INT64, .as.int64 = 1},  /* step */
  };
  const troupe_query query = {
    .struct_size = sizeof query,
    .contract = COUNTER_CONTRACT,
    .tags = tags,
    .tag_count = COUNT_OF(tags),
    .arguments = arguments,
    .argument_count = COUNT_OF(arguments),
  };
  troupe_status status = resolver->resolve(resolver, &query, instance);
  if (status != TROUPE_OK) {
    const char *why = resolver->message(resolver);
    if (why == NULL) why = "no reason was given";
    char reason[256];
    snprintf(reason, sizeof reason, "lines cannot be numbered without a counter: %s", why);
    host->fail(host, reason);
    return status;
  }

  /* The host does not know this contract and cannot check its table. */
  const counter_interface *functions = instance->vtable;
  if (functions == NULL || functions->struct_size < sizeof *functions) {
    resolver->release(resolver, *instance);
    host->fail(host, "lines cannot be numbered: the table of the counter is too small");
    return TROUPE_INVALID_CONTRACT;
  }
  return TROUPE_OK;
}

static void *numbering_create(const troupe_resolver *resolver) {
  troupe_instance counter_instance;
  if (resolve_counter(resolver, &counter_instance) != TROUPE_OK) return NULL;

  numbering *self = malloc(sizeof *self);
  if (self == NULL) {
    resolver->release(resolver, counter_instance);
    host->fail(host, "there is not enough memory to number lines");
    return NULL;
  }
  self->resolver = resolver;
  self->counter = counter_instance;
  self->functions = counter_instance.vtable;
  self->at_line_start = 1;
  self->ready = 0;
  return self;
}

static void numbering_destroy(void *instance) {
  numbering *self = instance;
  self->resolver->release(self->resolver, self->counter);
  free(self);
}

static troupe_status write_ready(numbering *self, const troupe_output *output) {
  if (self->ready == 0) return TROUPE_OK;
  size_t count = self->ready;
  self->ready = 0;
  return output->write(output, self->buffer, count);
}

/* Adds bytes to the output. Bytes that do not fit in the buffer are written directly. */
static troupe_status append(numbering *self, const void *bytes, size_t count, const troupe_output *output) {
  if (count > sizeof self->buffer - self->ready) {
    troupe_status status = write_ready(self, output);
    if (status != TROUPE_OK) return status;
    if (count > sizeof self->buffer) return output->write(output, bytes, count);
  }
  memcpy(self->buffer + self->ready, bytes, count);
  self->ready += count;
  return TROUPE_OK;
}

static troupe_status numbering_feed(void *instance, const void *bytes, size_t count, const troupe_output *output) {
  numbering *self = instance;
  const char *next = bytes;

  while (count > 0) {
    if (self->at_line_start) {
      char number[32];
      int length = snprintf(number, sizeof number, "%6" PRId64 "\t", self->functions->next(self->counter.object));
      troupe_status status = append(self, number, (size_t)length, output);
      if (status != TROUPE_OK) return status;
      self->at_line_start = 0;
    }

    /* The rest of the line, or its part in this piece. */
    const char *newline = memchr(next, '\n', count);
    size_t length = newline == NULL ? count : (size_t)(newline - next) + 1;
    troupe_status status = append(self, next, length, output);
    if (status != TROUPE_OK) return status;
    self->at_line_start = newline != NULL;
    next += length;
    count -= length;
  }
  /* The output is written now, because the next piece may arrive late: a reader sees each line as soon as it is fed. */
  return write_ready(self, output);
}

static troupe_status numbering_finish(void *instance, const troupe_output *output) {
  (void)instance;
  (void)output;
  return TROUPE_OK;  /* `feed` has written everything. */
}

static const troupe_transform numbering_functions = {
  .struct_size = sizeof(troupe_transform),
  .feed = numbering_feed,
  .finish = numbering_finish,
};

/* ---------------------------------------------------------------------------------------------------------------- */
/* Registration                                                                                                     */
/* ---------------------------------------------------------------------------------------------------------------- */

static const char *const counter_tags[] = {"counter"};
static const char *const numbering_tags[] = {"text", "number-lines"};

static const troupe_metadata counter_texts[] = {
  TROUPE_DESCRIPTION("Makes a counter, whose functions counter.h declares."),
  TROUPE_PARAMETER("start", "The first value."),
  TROUPE_PARAMETER("step", "The difference of two values."),
};
static const troupe_metadata numbering_texts[] = {
  TROUPE_DESCRIPTION("Writes the number of each line in front of it."),
  TROUPE_EXAMPLE("\"one\\ntwo\\n\"", "\"     1\\tone\\n     2\\ttwo\\n\""),
};

static const troupe_factory factories[] = {
  TROUPE_CONTRACT_FACTORY_WITH(TROUPE_TRANSIENT, counter_texts, "4caecc22-c65f-44d6-be6d-7ee9ae1f65b7", "counter",
                               counter_tags, COUNTER_CONTRACT, &counter_functions, free, void *, counter_create,
                               (int64_t start, int64_t step)),
  TROUPE_CONTRACT_FACTORY_WITH(TROUPE_TRANSIENT, numbering_texts, "d24d70ee-da90-4184-9c35-b03f1179666e", "number-lines",
                               numbering_tags, TROUPE_CONTRACT_TRANSFORM, &numbering_functions, numbering_destroy, void *,
                               numbering_create, (TROUPE_RESOLVER)),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  host = registrar->host;
  for (size_t i = 0; i < COUNT_OF(factories); i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

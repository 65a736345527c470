/* A plugin that passes every check: a counter of bytes as a transform, and the sum of numbers as a function. A faulty plugin defines the
 * macro of the part in which it differs. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <troupe.h>

#ifndef PLUGIN_ID
#define PLUGIN_ID "org.example.validated"
#endif
#ifndef MANIFEST
#define MANIFEST TROUPE_PLUGIN(PLUGIN_ID, "Validated", "1.0.0")
#endif
#ifndef TRANSFORM_UUID
#define TRANSFORM_UUID "8d5b1f06-2c6e-4d3c-9f6a-0c1d5a7e9b11"
#define SUM_UUID "8d5b1f06-2c6e-4d3c-9f6a-0c1d5a7e9b12"
#endif
MANIFEST

static const troupe_host *host;

typedef struct counter {
  uint64_t count;
  char message[32];
  /* For the faulty plugins. */
  int is_finished, is_refused;
  const uint8_t *last;
  size_t length;
  char *kept;
  unsigned long thread;
} counter;

#ifndef CREATE
#define CREATE return calloc(1, sizeof(counter));
#endif
static void *create(void) { CREATE }

#ifndef DESTROY
#define DESTROY free(self);
#endif
static void destroy(void *instance) {
  counter *self = instance;
  (void)self;
  DESTROY
}

/* Replaces each byte by its successor, and refuses 0xFF. */
#ifndef FEED
#define FEED return copy(self, bytes, count, output);
#endif
static troupe_status copy(counter *self, const uint8_t *bytes, size_t count, const troupe_output *output) {
  uint8_t next[4096];
  while (count > 0) {
    size_t size = count < sizeof next ? count : sizeof next;
    for (size_t index = 0; index < size; index++) {
      if (bytes[index] == 0xFF) {
        strcpy(self->message, "the byte 0xFF has no successor");
        return TROUPE_FAILED;
      }
      next[index] = (uint8_t)(bytes[index] + 1);
    }
    troupe_status status = output->write(output, next, size);
    if (status != TROUPE_OK) return status;
    self->count += size;
    bytes += size;
    count -= size;
  }
  return TROUPE_OK;
}
static troupe_status feed(void *instance, const void *input, size_t count, const troupe_output *output) {
  counter *self = instance;
  const uint8_t *bytes = input;
  (void)self, (void)bytes;
  FEED
}

#ifndef FINISH
#define FINISH return output->write(output, &self->count, sizeof self->count);
#endif
static troupe_status finish(void *instance, const troupe_output *output) {
  counter *self = instance;
  (void)self, (void)output;
  FINISH
}

#ifndef MESSAGE
#define MESSAGE return self->message[0] ? self->message : NULL;
#endif
static const char *message(void *instance) {
  counter *self = instance;
  (void)self;
  MESSAGE
}

static const troupe_transform transform = {
  .struct_size = sizeof transform, .feed = feed, .finish = finish, .message = message};

/* The function. */
#ifndef SUM
#define SUM                                                        \
  static int64_t sum(const int32_t *numbers, size_t count) {       \
    int64_t total = 0;                                             \
    for (size_t index = 0; index < count; index++) total += numbers[index]; \
    return total;                                                  \
  }
#endif
SUM
#ifndef SIGNATURE
#define SIGNATURE "int64_t (const int32_t numbers[count], size_t count)"
#endif
#ifndef SUM_NAME
#define SUM_NAME "sum"
#endif
#ifndef TAG
#define TAG "arithmetic"
#endif

#ifndef ENTRY
#define ENTRY
#endif
#ifndef REGISTER
#define REGISTER                                                                            \
  troupe_status status = registrar->register_factory(registrar, &factories[0]);             \
  if (status == TROUPE_OK) status = registrar->register_factory(registrar, &factories[1]);  \
  return status;
#endif
#ifndef ENTRY_FUNCTION
#define ENTRY_FUNCTION TROUPE_EXPORT troupe_status troupe_plugin_main
#endif
ENTRY_FUNCTION(const troupe_registrar *registrar) {
  static const char *const tags[] = {TAG};
  const troupe_factory factories[] = {
    {.struct_size = sizeof(troupe_factory), .uuid = TRANSFORM_UUID, .name = "successor", .contract = TROUPE_CONTRACT_TRANSFORM,
     .signature = "pointer (void)", .function = TROUPE_FUNCTION(create), .destroy = destroy, .vtable = &transform,
     .tags = tags, .tag_count = 1},
    {.struct_size = sizeof(troupe_factory), .uuid = SUM_UUID, .name = SUM_NAME, .signature = SIGNATURE,
     .function = TROUPE_FUNCTION(sum), .tags = tags, .tag_count = 1},
  };
  (void)factories;
  host = registrar->host;
  ENTRY
  REGISTER
}

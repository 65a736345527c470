/*
 * Two stages of a stream: each writes a prefix in front of each line.
 *
 * The prefix of the first stage is a setting, that of the second an argument. The host feeds pieces of any size, so
 * that a line may begin in one piece and end in another: an instance keeps its position in the line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <troupe.h>

TROUPE_PLUGIN_WITH("@ID@", "@TITLE@", "0.1.0",
                   TROUPE_SETTINGS(TROUPE_SETTING_TEXT("prefix", "> ", "Text before each line"),
                                   TROUPE_SETTING_INTEGER("longest", 1048576, 1, 1073741824, "Bytes in the longest line")))

/* Factories do not get the host as an argument. troupe_plugin_main stores it here once, before other code runs. */
static const troupe_host *host;

typedef struct stage {
  /* The number of the current line, and the number of its bytes so far. */
  uint64_t line;
  size_t column;
  /* Whether the prefix of the current line is written. */
  int begun;
  /* The largest number of bytes in a line. */
  size_t longest;
  /* The reason of a failure, or an empty string. */
  char message[120];
  size_t prefix_length;
  char prefix[];
} stage;

/* Creates an instance. The argument is borrowed for the call, so that the stage copies it. */
static void *stage_create_with(const char *prefix) {
  troupe_value longest;
  if (host->setting(host, "longest", &longest) != TROUPE_OK) return NULL;
  if (prefix == NULL) {
    host->fail(host, "the prefix is missing; pass a text");
    return NULL;
  }
  size_t length = strlen(prefix);
  stage *self = calloc(1, sizeof *self + length);
  if (self == NULL) {
    host->fail(host, "there is not enough memory for a stage");
    return NULL;
  }
  self->line = 1;
  self->longest = (size_t)longest.as.int64;
  self->prefix_length = length;
  memcpy(self->prefix, prefix, length);
  return self;
}

/* Creates an instance with the prefix of the settings. */
static void *stage_create(void) {
  troupe_value prefix;
  if (host->setting(host, "prefix", &prefix) != TROUPE_OK) return NULL;
  return stage_create_with(prefix.as.string);
}

static troupe_status stage_feed(void *instance, const void *bytes, size_t count, const troupe_output *output) {
  stage *self = instance;
  const char *next = bytes;
  while (count > 0) {
    if (!self->begun) {
      troupe_status status = output->write(output, self->prefix, self->prefix_length);
      if (status != TROUPE_OK) return status;
      self->begun = 1;
    }

    /* The rest of the line, or its part in this piece. */
    const char *newline = memchr(next, '\n', count);
    size_t length = newline == NULL ? count : (size_t)(newline - next);
    if (length > self->longest - self->column) {
      snprintf(self->message, sizeof self->message,
               "line %" PRIu64 " is longer than %zu bytes; raise the setting \"longest\"", self->line, self->longest);
      return TROUPE_FAILED;
    }
    self->column += length;
    if (newline != NULL) {
      length++;
      self->line++;
      self->column = 0;
      self->begun = 0;
    }
    troupe_status status = output->write(output, next, length);
    if (status != TROUPE_OK) return status;
    next += length;
    count -= length;
  }
  return TROUPE_OK;
}

static troupe_status stage_finish(void *instance, const troupe_output *output) {
  (void)instance;
  (void)output;
  return TROUPE_OK;  /* `feed` has written everything. */
}

static const char *stage_message(void *instance) {
  stage *self = instance;
  return self->message[0] == '\0' ? NULL : self->message;
}

static const troupe_transform stage_functions = {
  .struct_size = sizeof(troupe_transform),
  .feed = stage_feed,
  .finish = stage_finish,
  .message = stage_message,
};

static const char *const setting_tags[] = {"text", "@NAME@"};
static const char *const argument_tags[] = {"@NAME@-with"};
static const troupe_metadata about_setting[] = {TROUPE_DESCRIPTION("Writes the setting prefix in front of each line.")};
static const troupe_metadata about_argument[] = {TROUPE_DESCRIPTION("Writes its argument in front of each line.")};

/* An instance is one block of memory, so that `free` destroys it. */
static const troupe_factory factories[] = {
  TROUPE_CONTRACT_FACTORY_WITH(TROUPE_TRANSIENT, about_setting, "@UUID1@", "@NAME@",
                               setting_tags, TROUPE_CONTRACT_TRANSFORM, &stage_functions, free,
                               void *, stage_create, (void)),
  TROUPE_CONTRACT_FACTORY_WITH(TROUPE_TRANSIENT, about_argument, "@UUID2@", "@NAME@-with",
                               argument_tags, TROUPE_CONTRACT_TRANSFORM, &stage_functions, free,
                               void *, stage_create_with, (const char *prefix)),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  host = registrar->host;
  for (size_t i = 0; i < sizeof factories / sizeof *factories; i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

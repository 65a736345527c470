/*
 * base64.c - an example plugin: two streaming transforms, from bytes to base64 (RFC 4648) and back
 *
 * The host feeds pieces of any size, so a piece may end inside a group of three bytes or four symbols. Each instance
 * keeps an incomplete group for the next piece, and works in its own buffers of fixed size: one allocation
 * when it is created, none while it runs.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example.base64", "Base64", "1.0.0",
                   TROUPE_PLUGIN_DESCRIPTION("Encodes bytes as Base64 text and decodes it, as streams."))

/* The number of groups (three bytes, four symbols) that are converted before the result is written. */
#define BLOCK 4096

/* The default line length of `base64` in coreutils. */
#define DEFAULT_WRAP 76

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Factories do not get the host as an argument. troupe_plugin_main stores it here once, before other code runs. */
static const troupe_host *host;

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* ---------------------------------------------------------------------------------------------------------------- */
/* Encoding                                                                                                         */
/* ---------------------------------------------------------------------------------------------------------------- */

typedef struct encoder {
  /* The number of symbols in a line; 0 for a single line. */
  size_t wrap;
  /* The number of symbols in the last line of the output. */
  size_t column;
  /* The bytes of an incomplete group, at most two between calls. */
  uint8_t pending[3];
  size_t pending_count;
  /* One block of symbols, and one more for the pending group. */
  char symbols[4 * (BLOCK + 1)];
  /* The same with newlines: twice as long for lines of one symbol. */
  char lines[2 * 4 * (BLOCK + 1)];
} encoder;

/* Parses a line length. Accepts only digits: strtoull would also accept a sign and spaces. */
static int read_wrap(const char *text, size_t *wrap) {
  size_t length = strlen(text);
  if (length == 0 || strspn(text, "0123456789") != length) return 0;
  errno = 0;
  unsigned long long number = strtoull(text, NULL, 10);
  if (errno != 0 || number > SIZE_MAX) return 0;
  *wrap = (size_t)number;
  return 1;
}

static void *encoder_create(void) {
  size_t wrap = DEFAULT_WRAP;
  const char *setting = host->configuration(host, "wrap");
  if (setting != NULL && !read_wrap(setting, &wrap)) {
    char reason[160];
    /* A long value is truncated; the beginning identifies it. */
    snprintf(reason, sizeof reason, "\"wrap\" is \"%.40s\", but must be a number of columns, 0 for one line", setting);
    host->fail(host, reason);
    return NULL;
  }

  encoder *self = malloc(sizeof *self);
  if (self == NULL) {
    host->fail(host, "there is not enough memory for an encoder");
    return NULL;
  }
  self->wrap = wrap;
  self->column = 0;
  self->pending_count = 0;
  return self;
}

/* Encodes whole groups, without a branch for each byte; returns the number of symbols. */
static size_t encode_groups(const uint8_t *bytes, size_t group_count, char *symbols) {
  for (size_t i = 0; i < group_count; i++, bytes += 3, symbols += 4) {
    uint32_t group = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
    symbols[0] = alphabet[group >> 18];
    symbols[1] = alphabet[group >> 12 & 63];
    symbols[2] = alphabet[group >> 6 & 63];
    symbols[3] = alphabet[group & 63];
  }
  return 4 * group_count;
}

/* Writes the first `count` of self->symbols, with the newlines that belong between them. */
static troupe_status write_symbols(encoder *self, size_t count, const troupe_output *output) {
  if (self->wrap == 0) return output->write(output, self->symbols, count);

  size_t length = 0;
  for (size_t at = 0; at < count;) {
    /* A full line is ended when the next one begins; encoder_finish ends the last one. */
    if (self->column == self->wrap) {
      self->lines[length++] = '\n';
      self->column = 0;
    }
    size_t run = smaller(self->wrap - self->column, count - at);
    memcpy(self->lines + length, self->symbols + at, run);
    length += run;
    at += run;
    self->column += run;
  }
  return output->write(output, self->lines, length);
}

static troupe_status encoder_feed(void *instance, const void *bytes, size_t count, const troupe_output *output) {
  encoder *self = instance;
  const uint8_t *next = bytes;

  while (self->pending_count + count >= 3) {
    size_t symbol_count = 0;
    if (self->pending_count > 0) {
      while (self->pending_count < 3) {
        self->pending[self->pending_count++] = *next++;
        count--;
      }
      symbol_count = encode_groups(self->pending, 1, self->symbols);
      self->pending_count = 0;
    }

    size_t group_count = smaller(count / 3, BLOCK);
    symbol_count += encode_groups(next, group_count, self->symbols + symbol_count);
    next += 3 * group_count;
    count -= 3 * group_count;

    troupe_status status = write_symbols(self, symbol_count, output);
    if (status != TROUPE_OK) return status;
  }

  for (; count > 0; count--) self->pending[self->pending_count++] = *next++;
  return TROUPE_OK;
}

static troupe_status encoder_finish(void *instance, const troupe_output *output) {
  encoder *self = instance;

  if (self->pending_count > 0) {
    size_t padding = 3 - self->pending_count;
    memset(self->pending + self->pending_count, 0, padding);
    encode_groups(self->pending, 1, self->symbols);
    memset(self->symbols + 4 - padding, '=', padding);
    troupe_status status = write_symbols(self, 4, output);
    if (status != TROUPE_OK) return status;
  }

  if (self->wrap == 0 || self->column == 0) return TROUPE_OK;
  return output->write(output, "\n", 1);
}

static troupe_status encoder_reset(void *instance) {
  encoder *self = instance;
  self->column = 0;
  self->pending_count = 0;
  return TROUPE_OK;
}

/* There is no `message`: encoding fails only if the output fails, and the host knows the reason. */
static const troupe_transform encoder_functions = {
  .struct_size = sizeof(troupe_transform),
  .feed = encoder_feed,
  .finish = encoder_finish,
  .reset = encoder_reset,
};

/* ---------------------------------------------------------------------------------------------------------------- */
/* Decoding                                                                                                         */
/* ---------------------------------------------------------------------------------------------------------------- */

/* Marks a byte outside the alphabet in decoder.values. Values are below 64, so the upper bits distinguish it. */
#define NO_VALUE 0xFF

typedef struct decoder {
  /* The value of each byte, or NO_VALUE. */
  uint8_t values[256];
  /* The bits of an incomplete group, and the number of its symbols and padding characters so far. */
  uint32_t group;
  unsigned symbol_count;
  unsigned padding_count;
  /* The number of bytes before this piece of input. */
  uint64_t offset;
  /* One block of decoded bytes, of which the first `ready` are to be written. */
  uint8_t bytes[3 * BLOCK];
  size_t ready;
  /* The reason of a decoding failure, or an empty string. */
  char message[96];
} decoder;

static void *decoder_create(void) {
  decoder *self = calloc(1, sizeof *self);
  if (self == NULL) {
    host->fail(host, "there is not enough memory for a decoder");
    return NULL;
  }
  memset(self->values, NO_VALUE, sizeof self->values);
  for (uint8_t value = 0; value < 64; value++) self->values[(uint8_t)alphabet[value]] = value;
  return self;
}

static const char *decoder_message(void *instance) {
  decoder *self = instance;
  return self->message[0] == '\0' ? NULL : self->message;
}

/* Decodes whole groups up to the first with a character that is not a symbol; returns the number of decoded groups. */
static size_t decode_groups(decoder *self, const uint8_t *text, size_t group_count) {
  uint8_t *bytes = self->bytes + self->ready;
  size_t done = 0;
  for (; done < group_count; done++, text += 4, bytes += 3) {
    uint32_t a = self->values[text[0]], b = self->values[text[1]];
    uint32_t c = self->values[text[2]], d = self->values[text[3]];
    if (((a | b | c | d) & 0xC0) != 0) break;
    uint32_t group = a << 18 | b << 12 | c << 6 | d;
    bytes[0] = (uint8_t)(group >> 16);
    bytes[1] = (uint8_t)(group >> 8);
    bytes[2] = (uint8_t)group;
  }
  self->ready += 3 * done;
  return done;
}

/* Decodes one character at `offset` of the input that decode_groups cannot, such as a newline or padding. */
static troupe_status decode_character(decoder *self, uint8_t character, uint64_t offset) {
  if (character == '\n') return TROUPE_OK;

  uint8_t value = self->values[character];
  if (character == '=') {
    /* One symbol holds six bits, less than a byte, so a group needs two before its padding. */
    if (self->symbol_count < 2) {
      snprintf(self->message, sizeof self->message, "the padding at byte offset %" PRIu64 " comes too early", offset);
      return TROUPE_FAILED;
    }
    self->padding_count++;
    value = 0;
  } else if (value == NO_VALUE) {
    snprintf(self->message, sizeof self->message, "the byte 0x%02x at byte offset %" PRIu64 " is not base64",
             (unsigned)character, offset);
    return TROUPE_FAILED;
  } else if (self->padding_count > 0) {
    snprintf(self->message, sizeof self->message, "a group goes on after its padding at byte offset %" PRIu64, offset);
    return TROUPE_FAILED;
  } else {
    self->symbol_count++;
  }

  self->group = self->group << 6 | value;
  if (self->symbol_count + self->padding_count < 4) return TROUPE_OK;

  for (unsigned i = 0; i < 3 - self->padding_count; i++) {
    self->bytes[self->ready++] = (uint8_t)(self->group >> (16 - 8 * i));
  }
  /* As with `base64 -d`, a group may follow a padded one: encoded files can be concatenated. */
  self->group = 0;
  self->symbol_count = 0;
  self->padding_count = 0;
  return TROUPE_OK;
}

static troupe_status write_ready(decoder *self, const troupe_output *output) {
  if (self->ready == 0) return TROUPE_OK;
  size_t count = self->ready;
  self->ready = 0;
  return output->write(output, self->bytes, count);
}

static troupe_status decoder_feed(void *instance, const void *bytes, size_t count, const troupe_output *output) {
  decoder *self = instance;
  const uint8_t *text = bytes;

  for (size_t at = 0; at < count;) {
    size_t room = (sizeof self->bytes - self->ready) / 3;
    if (room == 0) {
      troupe_status status = write_ready(self, output);
      if (status != TROUPE_OK) return status;
      continue;
    }

    if (self->symbol_count == 0) {
      size_t done = decode_groups(self, text + at, smaller((count - at) / 4, room));
      at += 4 * done;
      if (done > 0) continue;
    }

    troupe_status status = decode_character(self, text[at], self->offset + at);
    if (status != TROUPE_OK) return status;
    at++;
  }

  self->offset += count;
  return write_ready(self, output);
}

static troupe_status decoder_finish(void *instance, const troupe_output *output) {
  decoder *self = instance;
  (void)output;  /* Every complete group was written by `feed`. */
  if (self->symbol_count == 0) return TROUPE_OK;
  snprintf(self->message, sizeof self->message, "the input ends at byte offset %" PRIu64 " inside a group of four",
           self->offset);
  return TROUPE_FAILED;
}

static troupe_status decoder_reset(void *instance) {
  decoder *self = instance;
  self->group = 0;
  self->symbol_count = self->padding_count = 0;
  self->offset = 0;
  self->ready = 0;
  self->message[0] = '\0';
  return TROUPE_OK;
}

static const troupe_transform decoder_functions = {
  .struct_size = sizeof(troupe_transform),
  .feed = decoder_feed,
  .finish = decoder_finish,
  .message = decoder_message,
  .reset = decoder_reset,
};

/* ---------------------------------------------------------------------------------------------------------------- */
/* Registration                                                                                                     */
/* ---------------------------------------------------------------------------------------------------------------- */

static const char *const encoder_tags[] = {"encoding", "base64", "base64-encode"};
static const char *const decoder_tags[] = {"encoding", "base64", "base64-decode"};

static const troupe_metadata encoder_texts[] = {
  TROUPE_DESCRIPTION("Encodes bytes as Base64 (RFC 4648), in lines of 76 characters."),
  TROUPE_EXAMPLE("\"Hello\"", "\"SGVsbG8=\\n\""),
};
static const troupe_metadata decoder_texts[] = {
  TROUPE_DESCRIPTION("Decodes Base64 text. Skips white space, and refuses all other characters."),
  TROUPE_EXAMPLE("\"SGVsbG8=\"", "\"Hello\""),
};

/* An instance is one block of memory that this plugin allocated, so `free` destroys it. */
static const troupe_factory factories[] = {
  TROUPE_CONTRACT_FACTORY_WITH(TROUPE_TRANSIENT, encoder_texts, "32921d82-82f7-461e-b6b8-8b086d6393f2", "base64-encode",
                               encoder_tags, TROUPE_CONTRACT_TRANSFORM, &encoder_functions, free, void *, encoder_create,
                               (void)),
  TROUPE_CONTRACT_FACTORY_WITH(TROUPE_TRANSIENT, decoder_texts, "1f32daa9-6f30-44ff-9c1a-3af5e4c5d2b2", "base64-decode",
                               decoder_tags, TROUPE_CONTRACT_TRANSFORM, &decoder_functions, free, void *, decoder_create,
                               (void)),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  host = registrar->host;
  for (size_t i = 0; i < COUNT_OF(factories); i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

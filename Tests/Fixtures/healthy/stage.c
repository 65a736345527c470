/* A transform that writes the text MARK before each piece of bytes, and END at the end. ID, UUID and TAG are macros. Pieces
 * that begin with "fail", "NULL" or "huge" make it fail, or write from NULL or more bytes than can exist. */
#include <stdlib.h>
#include <string.h>

#include <troupe.h>

#ifndef ID
#define ID "org.example.stage"
#endif
#ifndef UUID
#define UUID "57a6e000-0000-4000-8000-000000000001"
#endif
#ifndef MARK
#define MARK "a"
#endif
#ifndef TAG
#define TAG "text"
#endif
#define END "."

TROUPE_PLUGIN(ID, "Stage", "1.0.0")

static const troupe_host *host;

static void *create(void) { return malloc(1); }

static void destroy(void *instance) {
  free(instance);
  host->log(host, TROUPE_LOG_INFO, "a stage ends");
}

static troupe_status feed(void *instance, const void *bytes, size_t count, const troupe_output *output) {
  (void)instance;
  if (count >= 4 && memcmp(bytes, "fail", 4) == 0) return TROUPE_FAILED;
  if (count >= 4 && memcmp(bytes, "NULL", 4) == 0)
    return output->write(output, NULL, 1) == TROUPE_INVALID_ARGUMENT ? TROUPE_OK : TROUPE_FAILED;
  if (count >= 4 && memcmp(bytes, "huge", 4) == 0)
    return output->write(output, MARK, SIZE_MAX) == TROUPE_INVALID_ARGUMENT ? TROUPE_OK : TROUPE_FAILED;
  if (count >= 4 && memcmp(bytes, "none", 4) == 0)
    return output->write(NULL, MARK, 1) == TROUPE_INVALID_ARGUMENT ? TROUPE_OK : TROUPE_FAILED;
  troupe_status status = output->write(output, MARK, strlen(MARK));
  return status == TROUPE_OK ? output->write(output, bytes, count) : status;
}

static troupe_status finish(void *instance, const troupe_output *output) {
  (void)instance;
  return output->write(output, END, strlen(END));
}

static const char *message(void *instance) {
  (void)instance;
  return "the input says so";
}

static const troupe_transform functions = {
  .struct_size = sizeof functions, .feed = feed, .finish = finish, .message = message};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  static const char *const tags[] = {TAG, ID};
  static const troupe_metadata metadata[] = {{"mark", MARK}};
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = UUID, .name = "stage " MARK, .contract = TROUPE_CONTRACT_TRANSFORM,
    .signature = "pointer ()", .function = TROUPE_FUNCTION(create), .destroy = destroy, .vtable = &functions,
    .tags = tags, .tag_count = 2, .metadata = metadata, .metadata_count = 1};
  host = registrar->host;
  return registrar->register_factory(registrar, &factory);
}

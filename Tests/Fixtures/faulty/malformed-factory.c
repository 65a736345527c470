/* Registers a good factory after the macro FAULT has changed it. The entry returns the result of the registration. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.malformed-factory", "Malformed factory", "1.0.0")

static void *create(void) { return 0; }
static void destroy(void *instance) { (void)instance; }
static troupe_status feed(void *instance, const void *bytes, size_t count, const troupe_output *output) {
  (void)instance, (void)bytes;
  return output->write(output, "", count * 0);
}
static troupe_status finish(void *instance, const troupe_output *output) { return feed(instance, "", 0, output); }

static const char *const tags[] = {"tag"}, *const null_tags[] = {0}, *const bad_tags[] = {"\xff"}, *const empty_tags[] = {""};
static const troupe_metadata metadata[] = {{"key", "value"}}, null_key[] = {{0, "value"}}, null_value[] = {{"key", 0}};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_transform table = {.struct_size = sizeof table, .feed = feed, .finish = finish};
  troupe_factory good = {
    .struct_size = sizeof good, .uuid = "ba0f0000-0000-4000-8000-000000000001", .name = "good",
    .contract = TROUPE_CONTRACT_TRANSFORM, .signature = "pointer ()", .function = TROUPE_FUNCTION(create), .destroy = destroy,
    .vtable = &table, .tags = tags, .tag_count = 1, .metadata = metadata, .metadata_count = 1};
  troupe_factory *factory = &good;
  (void)null_tags, (void)bad_tags, (void)empty_tags, (void)null_key, (void)null_value;
  FAULT;
  return registrar->register_factory(registrar, factory);
}

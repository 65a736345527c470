/* A plugin whose texts contain markup, quotes, control characters and marks of the direction of writing. */
#include <troupe.h>

#define MARKUP "<script>hacked()</script><img src=x onerror=hacked()>"

TROUPE_MANIFEST("{\"id\":\"org.example.hostile\",\"name\":\"" MARKUP "\\\"'&amp;\\u202Eesrever\",\"version\":\"1.0.0\",\"language\":\"c\","
                "\"abi\":\"1.1\",\"description\":\"</p>" MARKUP " `</code>" MARKUP "` javascript:hacked()\",\"requires\":[],"
                "\"settings\":[{\"key\":\"text\",\"type\":\"text\",\"default\":\"'; hacked; '\",\"description\":\"" MARKUP "\"}]}")

static const char *echo(const char *text) { return text; }

static const char *const tags[] = {MARKUP, "\" onmouseover=\"hacked()", "\xE2\x80\xAE" "esrever"};
static const troupe_metadata texts[] = {
  TROUPE_DESCRIPTION("]]></script>" MARKUP "\n\n\x01\x1B[31m\xE2\x80\xAE" "esrever \xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D"),
  TROUPE_PARAMETER("text", "\"><script>hacked()</script>"),
  TROUPE_EXAMPLE("\"</code>'\\\"\\\\$(hacked)`hacked`\\u0000\"", "\"</script>\""),
  TROUPE_EXAMPLE("\"*/ */ \\u2028 %s \?\?/\"", "\"*/ */ \\u2028 %s \?\?/\""),
  {MARKUP, "\xE2\x80\x8F" MARKUP},
};
static const troupe_factory factory = {
  .struct_size = sizeof factory, .uuid = "d5be2a0a-6e8c-4dd2-9a13-0f4f0d8d7a01", .name = "'\"><script>hacked()</script>$(hacked)",
  .signature = "const char *(const char *text)", .function = TROUPE_FUNCTION(echo), .tags = tags, .tag_count = 3,
  .metadata = texts, .metadata_count = 5};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  return registrar->register_factory(registrar, &factory);
}

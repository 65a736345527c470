/* A plugin with long tags that logs one line 200,000 times, has 2,000 registrations refused, and fails with a reason of 3 MB. */
#include <stdlib.h>
#include <string.h>
#include <troupe.h>

TROUPE_PLUGIN("org.example.long-messages", "Long messages", "1.0.0")

static int one(void) { return 1; }

static char *text(size_t length) {
  char *text = malloc(length + 1);
  if (!text) abort();
  memset(text, 'x', length);
  text[length] = 0;
  return text;
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  const troupe_host *host = registrar->host;
  for (int count = 0; count < 200000; count++) host->log(host, TROUPE_LOG_ERROR, "the same line");
  const char *const tags[] = {text(100000)};
  troupe_factory factory = {
    .struct_size = sizeof factory, .uuid = "fa110000-0000-4000-8000-000000000071", .name = "one", .signature = "int ()",
    .tags = tags, .tag_count = 1, .function = TROUPE_FUNCTION(one)};
  for (int count = 0; count < 2000; count++) registrar->register_factory(registrar, &factory);
  host->fail(host, text(3000000));
  return TROUPE_FAILED;
}

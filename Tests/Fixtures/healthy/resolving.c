/* Functions that resolve registrations of other plugins and return the outcome. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.resolving", "Resolving", "1.0.0")

static const troupe_host *host;

static int32_t resolve(const troupe_resolver *resolver, const char *contract, const char *tag) {
  troupe_instance instance = {0};
  troupe_query query = {
    .struct_size = sizeof query, .contract = contract, .tags = &tag, .tag_count = tag == NULL ? 0 : 1};
  troupe_status status = resolver->resolve(resolver, &query, &instance);
  if (status == TROUPE_OK) resolver->release(resolver, instance);
  /* A failure leaves the instance unchanged. */
  else if (instance.object != NULL || instance.vtable != NULL || instance.handle != NULL) return -1;
  return status;
}

static int32_t resolve_all(const troupe_resolver *resolver, const char *contract, const char *tag) {
  troupe_instance *instances = (troupe_instance *)8;
  size_t count = 99;
  troupe_query query = {
    .struct_size = sizeof query, .contract = contract, .tags = &tag, .tag_count = tag == NULL ? 0 : 1};
  troupe_status status = resolver->resolve_all(resolver, &query, &instances, &count);
  if (status != TROUPE_OK) return -status;
  for (size_t i = 0; i < count; i++) resolver->release(resolver, instances[i]);
  if (count == 0 && instances != NULL) return -100;
  host->free(host, instances);
  return (int32_t)count;
}

static const char *message(const troupe_resolver *resolver) { return resolver->message(resolver); }

/* The status of a resolve of a box, and the number in it. */
static const char *box(const troupe_resolver *resolver, int32_t kind, const char *text) {
  static char answer[64];
  static const char *const tags[] = {"box", "b0e50000-0000-4000-8000-000000010000"};
  troupe_value argument = {.kind = kind};
  int64_t integer = 0;
  double number = 0;
  if (kind == TROUPE_VALUE_DOUBLE) sscanf(text, "%lf", &number), argument.as.float64 = number;
  else if (kind == TROUPE_VALUE_STRING) argument.as.string = text;
  else if (kind == TROUPE_VALUE_POINTER) argument.as.pointer = &integer;
  else if (sscanf(text, "%ld", &integer) == 1) argument.as.int64 = integer;
  troupe_query query = {
    .struct_size = sizeof query, .contract = "org.example.box/1", .tags = tags, .tag_count = 2, .arguments = &argument, .argument_count = 1};
  troupe_instance instance = {0};
  troupe_status status = resolver->resolve(resolver, &query, &instance);
  if (status != TROUPE_OK) {
    snprintf(answer, sizeof answer, "status %d", status);
    return answer;
  }
  const struct { uint32_t struct_size; int32_t answer; } *table = instance.vtable;
  snprintf(answer, sizeof answer, "%ld %d", (long)*(int64_t *)instance.object, table->answer);
  resolver->release(resolver, instance);
  return answer;
}

/* The status for a malformed query, by its number. */
static int32_t malformed(const troupe_resolver *resolver, int32_t number) {
  static const char *const null_tags[] = {NULL}, *const bad_tags[] = {"\xff"};
  static const troupe_value unknown = {.kind = 77}, not_text = {.kind = TROUPE_VALUE_STRING, .as.string = "\xff"}, no = {.kind = 0};
  troupe_instance instance, *instances;
  size_t count;
  troupe_query query = {.struct_size = sizeof query, .contract = "org.example.box/1"};
  switch (number) {
  case 0: return resolver->resolve(NULL, &query, &instance);
  case 1: return resolver->resolve(resolver, NULL, &instance);
  case 2: return resolver->resolve(resolver, &query, NULL);
  case 3: return resolver->resolve_all(NULL, &query, &instances, &count);
  case 4: return resolver->resolve_all(resolver, NULL, &instances, &count);
  case 5: return resolver->resolve_all(resolver, &query, NULL, &count);
  case 6: return resolver->resolve_all(resolver, &query, &instances, NULL);
  case 7: query.struct_size = 0; break;
  case 8: query.contract = NULL; break;
  case 9: query.contract = "\xff"; break;
  case 10: query.tag_count = 1; break;
  case 11: query.argument_count = 1; break;
  case 12: query.tags = null_tags, query.tag_count = 1; break;
  case 13: query.tags = bad_tags, query.tag_count = 1; break;
  case 14: query.tags = bad_tags, query.tag_count = UINT32_MAX; break;
  case 15: query.arguments = &unknown, query.argument_count = 1; break;
  case 16: query.arguments = &not_text, query.argument_count = 1; break;
  case 17: query.arguments = &no, query.argument_count = UINT32_MAX; break;
  default: return -1;
  }
  return resolver->resolve(resolver, &query, &instance);
}

/* Resolves the only transform with a tag and feeds it; returns its output. */
static char written[256];

static troupe_status write_bytes(const troupe_output *output, const void *bytes, size_t count) {
  (void)output;
  if (strlen(written) + count >= sizeof written) return TROUPE_FAILED;
  strncat(written, bytes, count);
  return TROUPE_OK;
}

static const char *transform(const troupe_resolver *resolver, const char *tag, const char *text) {
  troupe_instance instance;
  troupe_query query = {
    .struct_size = sizeof query, .contract = TROUPE_CONTRACT_TRANSFORM, .tags = &tag, .tag_count = 1};
  if (resolver->resolve(resolver, &query, &instance) != TROUPE_OK) return resolver->message(resolver);
  const troupe_transform *functions = instance.vtable;
  troupe_output output = {.struct_size = sizeof output, .context = written, .write = write_bytes};
  written[0] = 0;
  if (functions->feed(instance.object, text, strlen(text), &output) != TROUPE_OK) {
    snprintf(written, sizeof written, "failed: %s", functions->message(instance.object));
  } else {
    functions->finish(instance.object, &output);
  }
  resolver->release(resolver, instance);
  return written;
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  const troupe_factory factories[] = {
    {.struct_size = sizeof *factories, .uuid = "4e500000-0000-4000-8000-000000000001", .name = "resolve",
     .signature = "int32_t (resolver, string contract, string tag)", .function = TROUPE_FUNCTION(resolve)},
    {.struct_size = sizeof *factories, .uuid = "4e500000-0000-4000-8000-000000000002", .name = "resolve-all",
     .signature = "int32_t (resolver, string contract, string tag)", .function = TROUPE_FUNCTION(resolve_all)},
    {.struct_size = sizeof *factories, .uuid = "4e500000-0000-4000-8000-000000000003", .name = "message",
     .signature = "string (resolver)", .function = TROUPE_FUNCTION(message)},
    {.struct_size = sizeof *factories, .uuid = "4e500000-0000-4000-8000-000000000004", .name = "box",
     .signature = "string (resolver, int32_t kind, string text)", .function = TROUPE_FUNCTION(box)},
    {.struct_size = sizeof *factories, .uuid = "4e500000-0000-4000-8000-000000000005", .name = "malformed",
     .signature = "int32_t (resolver, int32_t number)", .function = TROUPE_FUNCTION(malformed)},
    {.struct_size = sizeof *factories, .uuid = "4e500000-0000-4000-8000-000000000006", .name = "transform",
     .signature = "string (resolver, string tag, string text)", .function = TROUPE_FUNCTION(transform)},
  };
  host = registrar->host;
  for (size_t i = 0; i < sizeof factories / sizeof *factories; i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

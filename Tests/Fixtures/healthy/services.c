/* Functions that use each of the host's services. */
#include <stdint.h>
#include <string.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.services", "Services", "1.0.0")

static const troupe_host *host;

static void write_log(int32_t level, const char *message) { host->log(host, level, message); }
static const char *configuration(const char *key) { return host->configuration(host, key); }
static const void *service(const char *id) { return host->service(host, id); }
static const char *without_host(void) {
  host->log(NULL, TROUPE_LOG_ERROR, "nobody");
  host->free(NULL, host->allocate(NULL, 8));
  host->fail(NULL, NULL);
  return host->configuration(NULL, "key") == NULL && host->service(NULL, "service") == NULL ? "fine" : "wrong";
}

/* Whether memory of that size can be allocated and used. */
static _Bool allocate(size_t size) {
  char *memory = host->allocate(host, size);
  if (memory == NULL) return 0;
  _Bool is_aligned = (uintptr_t)memory % _Alignof(max_align_t) == 0;
  memset(memory, 'x', size);
  host->free(host, memory);
  host->free(host, NULL);
  return is_aligned;
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  const troupe_factory factories[] = {
    {.struct_size = sizeof *factories, .uuid = "5e1f0000-0000-4000-8000-000000000001", .name = "log",
     .signature = "void (int32_t level, string message)", .function = TROUPE_FUNCTION(write_log)},
    {.struct_size = sizeof *factories, .uuid = "5e1f0000-0000-4000-8000-000000000002", .name = "configuration",
     .signature = "string (string key)", .function = TROUPE_FUNCTION(configuration)},
    {.struct_size = sizeof *factories, .uuid = "5e1f0000-0000-4000-8000-000000000003", .name = "service",
     .signature = "pointer (string id)", .function = TROUPE_FUNCTION(service)},
    {.struct_size = sizeof *factories, .uuid = "5e1f0000-0000-4000-8000-000000000004", .name = "allocate",
     .signature = "bool (size_t size)", .function = TROUPE_FUNCTION(allocate)},
    {.struct_size = sizeof *factories, .uuid = "5e1f0000-0000-4000-8000-000000000005", .name = "without-host",
     .signature = "string ()", .function = TROUPE_FUNCTION(without_host)},
  };
  host = registrar->host;
  if (host->abi_major != TROUPE_ABI_MAJOR || host->abi_minor != TROUPE_ABI_MINOR || registrar->abi_major != TROUPE_ABI_MAJOR ||
      host->struct_size < sizeof *host || registrar->struct_size < sizeof *registrar)
    return TROUPE_FAILED;
  for (size_t i = 0; i < sizeof factories / sizeof *factories; i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}

/*
 * troupe/host.h - the services of the host, and the resolver with its requests. Include <troupe.h>, which includes this header.
 */
#ifndef TROUPE_HOST_H
#define TROUPE_HOST_H

#include "types.h"

TROUPE_BEGIN_

/* The host's services to one plugin. Valid for as long as the plugin is loaded. */
struct troupe_host {
  uint32_t struct_size;
  /* The ABI version of the host. */
  uint16_t abi_major;
  uint16_t abi_minor;
  /* Reserved for the host. */
  void *context;
  /* Writes a line to the host's log under the plugin's id. Ignores NULL. [any thread] */
  void (*log)(const troupe_host *TROUPE_CHECKED host, troupe_log_level level, const char *TROUPE_CHECKED message);
  /* Returns `size` bytes, aligned for any type, or NULL if there is not enough memory. Release them with `free`. [any thread] */
  void *TROUPE_NULLABLE (*TROUPE_NONNULL allocate)(const troupe_host *TROUPE_CHECKED host, size_t size);
  /* Releases memory that `allocate` returned, and other memory whose function's comment names this one. Ignores NULL.
   * [any thread] */
  void (*free)(const troupe_host *TROUPE_CHECKED host, void *TROUPE_NULLABLE memory);
  /* Returns the configured value of a key as text, or else the default of a declared setting, or NULL if there is neither. The
   * host owns the string, which stays valid for as long as the plugin is loaded. [any thread] */
  const char *TROUPE_NULLABLE (*TROUPE_NONNULL configuration)(const troupe_host *TROUPE_CHECKED host,
                                                              const char *TROUPE_CHECKED key);
  /* Returns the optional service with this id, such as "org.example.clock/1", or NULL if the host does not offer it. The id
   * defines the struct that it points to. Valid for as long as the plugin is loaded. [any thread] */
  const void *TROUPE_NULLABLE (*TROUPE_NONNULL service)(const troupe_host *TROUPE_CHECKED host,
                                                        const char *TROUPE_CHECKED id);
  /* Sets the reason why troupe_plugin_main or a factory, running on this thread, is about to fail. The host copies it and
   * shows it with the failure; a later reason replaces an earlier one. [any thread] */
  void (*fail)(const troupe_host *TROUPE_CHECKED host, const char *TROUPE_CHECKED message);
  /* Reads the value of a setting that TROUPE_SETTINGS declares: the configured one, or else the default. An integer is a
   * TROUPE_VALUE_INT64, a number a TROUPE_VALUE_DOUBLE, a boolean a TROUPE_VALUE_BOOL, a text or a choice a TROUPE_VALUE_STRING,
   * which stays valid for as long as the plugin is loaded. TROUPE_OK; TROUPE_NOT_FOUND if the manifest declares no such key;
   * TROUPE_INVALID_ARGUMENT for NULL. [any thread] */
  troupe_status (*setting)(const troupe_host *TROUPE_CHECKED host, const char *TROUPE_CHECKED key,
                           troupe_value *TROUPE_CHECKED value);
};

/* A request: the instances of one contract whose factories carry all of these tags. */
typedef struct TROUPE_SWIFT_NAME(CQuery) troupe_query {
  uint32_t struct_size;
  /* The number of elements of `tags`. */
  uint32_t tag_count;
  /* The contract, such as TROUPE_CONTRACT_TRANSFORM. */
  const char *TROUPE_CHECKED contract;
  /* The tags that a factory must carry; a tag in the form of a UUID is the factory's UUID. May be NULL if there are none. */
  const char *TROUPE_CHECKED const *TROUPE_NULLABLE tags;
  /* The arguments for the factories. May be NULL if there are none. */
  const troupe_value *TROUPE_NULLABLE arguments;
  /* The number of elements of `arguments`. */
  uint32_t argument_count;
  uint32_t reserved;
} troupe_query;

/* A resolved instance of a contract. Release it with troupe_resolver.release; until then its plugin stays loaded. */
typedef struct TROUPE_SWIFT_NAME(CInstance) troupe_instance {
  /* The first argument for the functions of the contract's table. */
  void *TROUPE_NULLABLE object;
  /* The contract's table, such as a troupe_transform. */
  const void *TROUPE_NULLABLE vtable;
  /* Reserved for the host. */
  void *TROUPE_NULLABLE handle;
} troupe_instance;

/* Resolves the registrations of plugins and of the program that embeds the host. */
struct troupe_resolver {
  uint32_t struct_size;
  uint32_t reserved;
  /* Reserved for the host. */
  void *context;
  /* Resolves the one factory that fits `query` and stores its instance, which the caller passes to `release`. A factory with
   * exactly the tags of the query comes before those with more. Returns TROUPE_NOT_FOUND if none fits, TROUPE_AMBIGUOUS if several
   * do, with a message that names the plugins and the UUIDs, TROUPE_FAILED if the factory failed, TROUPE_INVALID_ARGUMENT for a
   * malformed query or for arguments that the factory does not take; `*instance` is then unchanged. [any thread] */
  troupe_status (*resolve)(const troupe_resolver *TROUPE_CHECKED resolver, const troupe_query *TROUPE_CHECKED query,
                           troupe_instance *TROUPE_CHECKED instance);
  /* Resolves every factory that fits, in the order of registration; one failure fails all. Stores an array of `*count` elements,
   * or NULL and 0 if none fits. The caller passes each element to `release` and the array to troupe_host.free. Statuses as for
   * `resolve`, without TROUPE_NOT_FOUND and TROUPE_AMBIGUOUS. [any thread] */
  troupe_status (*resolve_all)(const troupe_resolver *TROUPE_CHECKED resolver, const troupe_query *TROUPE_CHECKED query,
                               troupe_instance *TROUPE_NULLABLE *TROUPE_CHECKED instances,
                               size_t *TROUPE_CHECKED count);
  /* Releases an instance, which must not be used afterwards. A destroy function may call it. [any thread] */
  void (*release)(const troupe_resolver *TROUPE_CHECKED resolver, troupe_instance instance);
  /* Returns the reason why the last call on this thread failed, or NULL. Valid until the next call on this thread.
   * [any thread] */
  const char *TROUPE_NULLABLE (*TROUPE_NONNULL message)(const troupe_resolver *TROUPE_CHECKED resolver);
};

TROUPE_END_

#endif /* TROUPE_HOST_H */

/*
 * troupe-host.h - hosts of plugins in C
 *
 * A program that links libTroupe.so finds the plugins of a directory, calls their C functions, passes data through their
 * transforms, and replaces and retires plugins while it runs.
 *
 *     #include <stdio.h>
 *     #include <troupe-host.h>
 *
 *     int main(void) {
 *       const char *directories[] = {"plugins"};
 *       troupe_host_options options = {.struct_size = sizeof options, .directories = directories, .directory_count = 1};
 *       troupe_error *error = NULL;
 *       troupe_host_t *host = troupe_host_start(&options, &error);
 *       troupe_function_t *area = host ? troupe_host_function(host, "area", &error) : NULL;
 *       troupe_call_value sides[] = {TROUPE_DOUBLE(3), TROUPE_DOUBLE(4.5)}, result;
 *       if (area && troupe_function_call(area, sides, 2, &result, &error) == TROUPE_OK) printf("%g\n", result.as.float64);
 *       if (error) fprintf(stderr, "%s\n", troupe_error_message(error));
 *       troupe_error_free(error);
 *       troupe_function_free(area);
 *       troupe_host_free(host);
 *     }
 *
 *     cc main.c $(pkg-config --cflags --libs troupe-host) -o main
 *
 * Handles
 *     The type of a handle, without the suffix _t of the three whose plain names belong to troupe.h, is the prefix of its functions. A
 *     program gets handles from functions whose names end in _new or that say so, and releases each with the function of the same
 *     prefix that ends in _free, which ignores NULL; memory and callbacks are objects. Each handle keeps alive all objects that it needs, so
 *     that the order of releases does not matter. There is no global state: a program may have several hosts.
 *
 * Errors
 *     A function that can fail has the last parameter `troupe_error **error`. On failure it returns a status other than TROUPE_OK,
 *     or NULL, and, if `error` is not NULL, stores a new error there, which the caller releases with troupe_error_free. On success
 *     it leaves `*error` unchanged. A plugin that cannot be used is no error of the host; see troupe_host_plugins.
 *
 * Memory
 *     Arguments are borrowed for the call, unless a comment differs. Strings are UTF-8 and end with a NUL. A pointer that a
 *     function of a handle returns belongs to the handle and is valid until its release.
 *
 * Threads
 *     Each function carries a tag:
 *       [any thread]  on any thread, also on several at once for the same handle
 *       [one caller]  on any thread, but never on two at once for the same handle
 *     A function that ends in _free is called on any thread, after all other uses of the handle.
 *     After a fork(2) the child can call functions that it has, but for those in workers, and start no host if the parent has started one.
 *     Functions that start, reload or refresh a host block their thread until the host is done. On the thread that has loaded
 *     libTroupe.so, which is the main thread of a program that links it, they also run the jobs of Swift's main actor, which the
 *     activation of a plugin in Swift may need. On another thread such an activation waits until that thread runs the jobs, in one of
 *     these functions or as the program's main queue; the log has a warning after ten seconds.
 *
 * Versions
 *     The caller sets struct_size in every struct that it fills in, to its own sizeof. Later versions append members; the library takes
 *     members beyond struct_size as zero. The library sets struct_size in the structs that it returns.
 */
#ifndef TROUPE_HOST_API_H
#define TROUPE_HOST_API_H

#include "troupe/types.h"

TROUPE_BEGIN_

/*
 * A host: the plugins of some directories, and their registrations.
 *
 *     troupe_host_start ──▶ plugins are found, checked and registered; the first use of a registration loads its plugin
 *     troupe_host_function, troupe_host_resolve ──▶ handles that keep their plugins loaded
 *     troupe_host_reload, _refresh, _retire ──▶ registrations are replaced or removed, and old handles work on
 *     troupe_host_shutdown ──▶ nothing is registered any more
 */
typedef struct troupe_plugin_host troupe_host_t;
/* A C function of a plugin, ready to be called. It keeps its plugin loaded. */
typedef struct troupe_plugin_function troupe_function_t;
/* An instance that a factory of a plugin made. It keeps its plugin loaded. */
typedef struct troupe_plugin_instance troupe_instance_t;
/* The former name of troupe_host_t. */
typedef troupe_host_t troupe_plugin_host;
/* The former name of troupe_function_t. */
typedef troupe_function_t troupe_plugin_function;
/* The former name of troupe_instance_t. */
typedef troupe_instance_t troupe_plugin_instance;
/* A lifetime of instances with TROUPE_SCOPED. */
typedef struct troupe_scope troupe_scope;
/* A FIFO of a host's events with a file descriptor, for a program that polls. */
typedef struct troupe_event_queue troupe_event_queue;
/* A callback for a host's events. */
typedef struct troupe_event_listener troupe_event_listener;
/*
 * What a pointer leads to, as a value of a call that the program can keep: a reference to a struct in C, whose last release calls the
 * library's releasing function; memory of the program; or a function that C calls back.
 *
 *     a result                 ──▶ TROUPE_VALUE_REFERENCE or TROUPE_VALUE_OBJECT
 *     troupe_memory_new        ──▶ memory of a C type, zero at first
 *     troupe_callback_new      ──▶ a C function that runs a callback of the program
 *
 * A call takes each of them as TROUPE_VALUE_OBJECT. C may use what it was given until the release of the object.
 */
typedef struct troupe_object troupe_object;
/* Why a function failed: a stable code for the program, and one line with the remedy for the user. */
typedef struct troupe_error troupe_error;

/* ---------------------------------------------------------------------------------------------------------------- */
/* Errors                                                                                                           */
/* ---------------------------------------------------------------------------------------------------------------- */

/* Returns the code, such as "notRegistered": the codes of Failures.md, which are stable. [any thread] */
const char *troupe_error_code(const troupe_error *error);
/* Returns the status that belongs to the code. [any thread] */
troupe_status troupe_error_status(const troupe_error *error);
/* Returns one line for the user: the subject, the problem and the remedy. [any thread] */
const char *troupe_error_message(const troupe_error *error);
/* Returns the thing that has the problem, such as a path; empty if the message is a whole sentence. [any thread] */
const char *troupe_error_subject(const troupe_error *error);
/* Returns the remedy, an imperative; empty if there is none. [any thread] */
const char *troupe_error_remedy(const troupe_error *error);
/* Releases an error. [any thread] */
void troupe_error_free(troupe_error *TROUPE_NULLABLE error);

/* ---------------------------------------------------------------------------------------------------------------- */
/* The host                                                                                                         */
/* ---------------------------------------------------------------------------------------------------------------- */

/* The time at which a plugin's library is opened: at the first use of one of its registrations, or at the start. */
typedef int32_t troupe_loading;
enum { TROUPE_LOADING_LAZY = 0, TROUPE_LOADING_EAGER = 1 };

/* The plugins that a child process loads first, to detect faults: those with new content, or none. */
typedef int32_t troupe_probing;
enum { TROUPE_PROBING_NEW_CONTENT = 0, TROUPE_PROBING_NEVER = 1 };

/* A value of a plugin's configuration. */
typedef struct troupe_host_setting {
  const char *TROUPE_CHECKED plugin; /* the plugin's id */
  const char *TROUPE_CHECKED key;
  const char *TROUPE_CHECKED value;
} troupe_host_setting;

/* Where the code of a plugin runs: in the process of the host, with all its rights, or in a process of its own, a worker. */
typedef struct troupe_host_isolation {
  /* The plugin's id; NULL for all plugins without an entry of their own. An id that no plugin has is no error. */
  const char *TROUPE_NULLABLE plugin;
  /* The policy of the worker: settings of the strict policy, separated by commas, such as "read:/srv/models,memory:512M,require:files".
   * "" for the strict policy: the plugin computes and reads its own libraries. NULL for the process of the host. */
  const char *TROUPE_NULLABLE policy;
} troupe_host_isolation;

/* The options of a host. Zero is the default of each. The host copies all of them. */
typedef struct troupe_host_options {
  uint32_t struct_size;
  troupe_loading loading;
  troupe_probing probing;
  /* The least level of lines for `log`. */
  troupe_log_level log_level;
  /* The directories of plugins, `directory_count` of them. */
  const char *TROUPE_NONNULL const *TROUPE_NULLABLE directories;
  size_t directory_count;
  /* Further plugin files, `file_count` of them. */
  const char *TROUPE_NONNULL const *TROUPE_NULLABLE files;
  size_t file_count;
  /* The configuration of plugins, `setting_count` values. */
  const troupe_host_setting *TROUPE_NULLABLE settings;
  size_t setting_count;
  /* A file of pins, as `troupe pin` writes it: the host loads only plugins with these hashes. NULL for no pins. */
  const char *TROUPE_NULLABLE pins;
  /* The directory of probe results. NULL for $XDG_CACHE_HOME/troupe, "" for none. */
  const char *TROUPE_NULLABLE cache_directory;
  /* The directory of the quarantine. NULL for the user's, "" to quarantine plugins in this process only. */
  const char *TROUPE_NULLABLE quarantine_directory;
  /* The executable that probes plugins and runs workers. NULL for troupe-probe beside libTroupe.so, or in ../libexec/troupe from there;
   * without one the program itself, which then has to be linked with libTroupe.so. */
  const char *TROUPE_NULLABLE probe;
  /* Maximum size of a plugin file in bytes; 0 for 1 GiB. */
  uint64_t maximum_file_size;
  /* Maximum size in bytes of a buffer that a call copies; 0 for 1 GiB. */
  uint64_t maximum_buffer_size;
  /* Limit of a probe's processor time in milliseconds; 0 for the default. */
  uint64_t probe_deadline;
  /* 1 loads plugins from copies of their files in memory, for files that are overwritten while the host runs. */
  int32_t opens_copies;
  /* 1 reports a fatal signal in the code of a plugin, such as SIGSEGV, before it ends the process: one line on standard error names the plugin
   * and the location, and the next host puts the plugin into quarantine. The first host that sets it installs handlers of these signals. The
   * handlers that the program had until then run afterwards. Not for a program that recovers from such a signal, as the JVM does. */
  int32_t reports_crashes;
  /* Takes a line of the log, with the id of the plugin that wrote it or that it is about, on the thread that wrote it. Functions
   * that retire or replace plugins fail in it with busy while the host loads plugins. The library may call it until the host, and all handles that were made with it, are
   * released, so that `log_context` must be valid until then. NULL to write warnings and errors to standard error. [any thread] */
  void (*TROUPE_NULLABLE log)(void *TROUPE_NULLABLE context, troupe_log_level level, const char *plugin, const char *text);
  void *TROUPE_NULLABLE log_context;
  /* Where the code of plugins runs, `isolation_count` entries; the last entry for a plugin counts. Plugins without an entry run in the
   * process of the host. */
  const troupe_host_isolation *TROUPE_NULLABLE isolations;
  size_t isolation_count;
  /* Returns 1 to cancel a call that waits for a worker, or a troupe_function_map, for example since the user has interrupted the program:
   * called about every 50 ms, on the thread of the call. A cancelled call fails with timedOut. A worker that computes the call ends, with
   * all its calls; troupe_function_map in this process ends between two rows. Loading a plugin is not cancelled. The restrictions of
   * `log` apply, also to the context. NULL to wait until the deadline of the policy. [any thread] */
  int32_t (*TROUPE_NULLABLE is_interrupted)(void *TROUPE_NULLABLE context);
  void *TROUPE_NULLABLE interruption_context;
  /* 1 if the program knows references: a pointer to a struct that a signature defines is then a TROUPE_TYPE_REFERENCE and, as a result, a
   * TROUPE_VALUE_REFERENCE, and a TROUPE_TYPE_POINTER has its `element`. With 0 both are pointers; a result that is a `const struct T *`
   * is a copy of the struct, a TROUPE_VALUE_STRUCT, a `struct T *` an address, and one that the program owns a TROUPE_VALUE_OBJECT. */
  int32_t has_references;
  int32_t reserved2;
} troupe_host_options;

/*
 * Finds the plugins, probes new ones, registers their factories and activates the loaded ones. Cost: some milliseconds for each
 * new plugin, microseconds for a known one. Returns NULL for invalid options: invalidArgument, invalidPins, unreadable (the
 * file of pins), missingResource (the probe executable is missing). [any thread]
 */
troupe_host_t *TROUPE_NULLABLE troupe_host_start(const troupe_host_options *TROUPE_NULLABLE options,
                                                 troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);
/* Unregisters all factories, ends all event queues, and releases the host. Functions and instances that the program still has work until
 * their own release. Listeners are called with the events of the shutdown, also after the function has returned: release them first. Do
 * not call it in a callback of the host. [one caller] */
void troupe_host_free(troupe_host_t *TROUPE_NULLABLE host);
/* Unregisters all factories and ends all event queues. The handle stays valid, and its functions find nothing until a refresh
 * finds new or changed files. [any thread] */
void troupe_host_shutdown(troupe_host_t *host);

/* Returns the version of Troupe, such as "0.1.0", which is static. [any thread] */
const char *troupe_host_version(void);

/* A plugin as it was when it was asked for. */
typedef struct troupe_plugin {
  uint32_t struct_size;
  /* The number of registrations, or -1 if it is not known. */
  int32_t registration_count;
  /* The path of the file, as it was found. */
  const char *path;
  /* From the manifest; each NULL if it could not be read. */
  const char *TROUPE_NULLABLE id;
  const char *TROUPE_NULLABLE name;
  const char *TROUPE_NULLABLE version;
  const char *TROUPE_NULLABLE language;
  /* "admitted", "loaded", "active", "draining", "retired", "rejected" or "quarantined". */
  const char *state;
  /* The reason why it is rejected or quarantined, owned by the list; NULL in other states. */
  const troupe_error *TROUPE_NULLABLE fault;
  /* For a file that adopts a library, the path of the library without links, if it was found; NULL for any other plugin. */
  const char *TROUPE_NULLABLE library;
} troupe_plugin;

/* Plugins in the order of discovery. */
typedef struct troupe_plugin_list {
  size_t count;
  const troupe_plugin *TROUPE_NONNULL const *TROUPE_NULLABLE items;
} troupe_plugin_list;

/* Returns all plugins, usable or not. Release the list with troupe_plugin_list_free. [any thread] */
troupe_plugin_list *troupe_host_plugins(const troupe_host_t *host);
void troupe_plugin_list_free(troupe_plugin_list *TROUPE_NULLABLE list);

/* A factory or function that a plugin registered. */
typedef struct troupe_registration {
  uint32_t struct_size;
  /* TROUPE_TRANSIENT, TROUPE_SINGLETON or TROUPE_SCOPED. */
  troupe_lifetime lifetime;
  /* 1 for a plain C function, which troupe_host_function finds. */
  int32_t is_function;
  uint32_t tag_count;
  /* The id of its plugin. */
  const char *plugin;
  /* The UUID in text; NULL for a Swift registration without one. */
  const char *TROUPE_NULLABLE uuid;
  const char *name;
  /* The contract of its instances, or NULL. */
  const char *TROUPE_NULLABLE contract;
  /* A C function type, or the Swift types in the form "(A) -> B". */
  const char *signature;
  /* The tags, sorted. */
  const char *TROUPE_NONNULL const *TROUPE_NULLABLE tags;
  /* The metadata, sorted by key. */
  const troupe_metadata *TROUPE_NULLABLE metadata;
  size_t metadata_count;
} troupe_registration;

/* Registrations in their order. */
typedef struct troupe_registration_list {
  size_t count;
  const troupe_registration *TROUPE_NONNULL const *TROUPE_NULLABLE items;
} troupe_registration_list;

/* Returns all registrations. Release the list with troupe_registration_list_free. [any thread] */
troupe_registration_list *troupe_host_registrations(const troupe_host_t *host);
void troupe_registration_list_free(troupe_registration_list *TROUPE_NULLABLE list);

/* A worker, the process of isolated plugins, as it was when it was asked for. */
typedef struct troupe_worker {
  uint32_t struct_size;
  /* PID; 0 if no process runs. */
  int32_t process;
  /* The group of the policy, or the id of the only plugin. */
  const char *name;
  /* The ids of its plugins. */
  const char *TROUPE_NONNULL const *TROUPE_NULLABLE plugins;
  size_t plugin_count;
  /* "closed": the worker may be started. "open": it ended too often, and is not started for a time. "half open": that time has passed,
   * and the next end makes it "open" again. */
  const char *circuit;
  /* The layers of the policy in force, sorted and separated by spaces, such as "calls files limits network privileges". */
  const char *enforced;
  /* Includes the call that loads the plugins. */
  uint64_t calls;
  /* Calls that ended without a result and without an error of the plugin. */
  uint64_t failures;
  /* Processes after the first. */
  uint64_t restarts;
  /* Median and 99th percentile of the duration of a call, with an error of an eighth; 0 before the first call. */
  uint64_t median_ns;
  uint64_t p99_ns;
  /* Resident memory in bytes; 0 if no process runs. */
  uint64_t memory;
} troupe_worker;

/* Workers in the order in which they were made. */
typedef struct troupe_worker_list {
  size_t count;
  const troupe_worker *TROUPE_NONNULL const *TROUPE_NULLABLE items;
} troupe_worker_list;

/* Returns the workers of the loaded plugins; a worker starts when its first plugin is loaded. Release the list with
 * troupe_worker_list_free. Returns NULL with the error invalidArgument if `host` is NULL. [any thread] */
troupe_worker_list *TROUPE_NULLABLE troupe_host_workers(const troupe_host_t *TROUPE_CHECKED host,
                                                        troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);
void troupe_worker_list_free(troupe_worker_list *TROUPE_NULLABLE list);

/* Replaces a plugin by its present file, without a moment in which its registrations are missing. TROUPE_OK also if the file is unchanged;
 * then `*is_replaced` is 0. Errors: unknown, inUse, busy (in code that the host runs while it changes plugins, such as `log`), and the
 * reason why the new file cannot be used; the old plugin then stays. [any thread] */
troupe_status troupe_host_reload(troupe_host_t *TROUPE_CHECKED host, const char *TROUPE_CHECKED id,
                                 int32_t *TROUPE_NULLABLE is_replaced,
                                 troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);
/* Scans the directories again: loads new plugins, replaces changed ones, retires missing ones. Returns 1 if anything changed,
 * else 0; 0 also, without a scan, in code that the host runs while it changes plugins, such as `log`. [any thread] */
int32_t troupe_host_refresh(troupe_host_t *host);
/* Unregisters a plugin's factories. Errors: unknown, inUse (another plugin needs it), busy (see troupe_host_reload). [any thread] */
troupe_status troupe_host_retire(troupe_host_t *TROUPE_CHECKED host, const char *TROUPE_CHECKED id,
                                 troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Events                                                                                                           */
/* ---------------------------------------------------------------------------------------------------------------- */

/* A change of a plugin's state. */
typedef struct troupe_event {
  uint32_t struct_size;
  uint32_t reserved;
  /* The plugin in its new state. */
  const troupe_plugin *plugin;
  /* The state before, or NULL for a plugin that was found. */
  const char *TROUPE_NULLABLE previous;
} troupe_event;

/* Returns a queue of the events from now on. It stores unread events without a limit. [any thread] */
troupe_event_queue *TROUPE_NULLABLE troupe_event_queue_new(const troupe_host_t *TROUPE_CHECKED host,
                                                           troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);
/* Returns a descriptor that poll(2) finds readable while an event is stored, and when the host has been shut down. The queue owns it;
 * only poll it. [any thread] */
int troupe_event_queue_descriptor(const troupe_event_queue *queue);
/* Removes the oldest event and returns it, or NULL if there is none. Does not wait. It is valid until the next call, and until the
 * release of the queue. [one caller] */
const troupe_event *TROUPE_NULLABLE troupe_event_queue_next(troupe_event_queue *queue);
/* Returns 1 after the host has been shut down: no more events come. [any thread] */
int32_t troupe_event_queue_has_ended(const troupe_event_queue *queue);
void troupe_event_queue_free(troupe_event_queue *TROUPE_NULLABLE queue);

/* Calls `callback` with each event from now on, one at a time, on a thread of the library. The event is valid for the call. The
 * callback may call all functions of the host but troupe_host_free and the release of the listener. [any thread] */
troupe_event_listener *TROUPE_NULLABLE troupe_event_listener_new(
  const troupe_host_t *TROUPE_CHECKED host,
  void (*TROUPE_CHECKED callback)(void *TROUPE_NULLABLE context, const troupe_event *event),
  void *TROUPE_NULLABLE context, troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);
/* Ends the calls, and waits for the one under way. [one caller] */
void troupe_event_listener_free(troupe_event_listener *TROUPE_NULLABLE listener);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Types                                                                                                            */
/* ---------------------------------------------------------------------------------------------------------------- */

/* The kind of a C type. Integers are classified by width and sign: `int` is TROUPE_TYPE_INT32. */
typedef int32_t troupe_type_kind;
enum {
  TROUPE_TYPE_VOID = 0,
  TROUPE_TYPE_BOOL = 1,
  TROUPE_TYPE_INT8 = 2,
  TROUPE_TYPE_INT16 = 3,
  TROUPE_TYPE_INT32 = 4,
  TROUPE_TYPE_INT64 = 5,
  TROUPE_TYPE_UINT8 = 6,
  TROUPE_TYPE_UINT16 = 7,
  TROUPE_TYPE_UINT32 = 8,
  TROUPE_TYPE_UINT64 = 9,
  TROUPE_TYPE_FLOAT = 10,
  TROUPE_TYPE_DOUBLE = 11,
  TROUPE_TYPE_LONG_DOUBLE = 12,
  /* A complex number; `element` is the type of its parts. */
  TROUPE_TYPE_COMPLEX = 13,
  /* A C string in UTF-8, which may be NULL. */
  TROUPE_TYPE_STRING = 14,
  /* A string of wide characters; `element` is the type of one. */
  TROUPE_TYPE_WIDE_STRING = 15,
  /* Any other pointer; `element` is the type that it points to, or NULL. */
  TROUPE_TYPE_POINTER = 16,
  /* A pointer to a struct that only the library knows. */
  TROUPE_TYPE_HANDLE = 17,
  /* `members` are in their order, those of a union all at offset 0. */
  TROUPE_TYPE_STRUCT = 18,
  TROUPE_TYPE_UNION = 19,
  /* An array within a struct: `count` times `element`. */
  TROUPE_TYPE_ARRAY = 20,
  /* An enumeration: `element` is its integer type, `enumerators` are the named values. */
  TROUPE_TYPE_ENUM = 21,
  /* A pointer to a function of the type `signature`. */
  TROUPE_TYPE_CALLBACK = 22,
  /* A pointer to several elements, as a result or a member. */
  TROUPE_TYPE_SEQUENCE = 23,
  /* A parameter that the host fills in. */
  TROUPE_TYPE_RESOLVER = 24,
  /* A pointer to a struct or union whose members `element` has; see troupe_host_options.has_references. */
  TROUPE_TYPE_REFERENCE = 25
};

typedef struct troupe_type troupe_type;
typedef struct troupe_signature troupe_signature;

/* A member of a struct or union. */
typedef struct troupe_member {
  const char *name;
  const troupe_type *type;
  size_t offset; /* in bytes */
} troupe_member;

/* A named value of an enumeration. */
typedef struct troupe_enumerator {
  const char *name;
  int64_t value; /* a value of an unsigned 64-bit type as the same bits */
} troupe_enumerator;

/* A C type as data. Owned by the signature that it belongs to. */
struct troupe_type {
  uint32_t struct_size;
  troupe_type_kind kind;
  /* The type in C's spelling, such as "int32_t" or "struct point"; a struct without its members. */
  const char *name;
  /* In bytes; 0 for void. */
  size_t size;
  size_t alignment;
  const troupe_type *TROUPE_NULLABLE element;
  /* The number of elements of an array, else of `members` or `enumerators`. */
  size_t count;
  const troupe_member *TROUPE_NULLABLE members;
  const troupe_enumerator *TROUPE_NULLABLE enumerators;
  const troupe_signature *TROUPE_NULLABLE signature;
  /* 1 for a pointer through which the function does not write. */
  int32_t is_constant;
  int32_t reserved;
};

/* How C passes a parameter: the value itself, a pointer to one value, or a pointer to the first of several. */
typedef int32_t troupe_passing;
enum { TROUPE_PASSING_VALUE = 0, TROUPE_PASSING_REFERENCE = 1, TROUPE_PASSING_BUFFER = 2 };

/* Who writes the value of a reference or the elements of a buffer. */
typedef int32_t troupe_direction;
enum { TROUPE_DIRECTION_IN = 0, TROUPE_DIRECTION_OUT = 1, TROUPE_DIRECTION_INOUT = 2 };

typedef struct troupe_parameter {
  uint32_t struct_size;
  troupe_passing passing;
  troupe_direction direction;
  /* 1 if the caller gives an argument. The call fills in the others: outputs, lengths of buffers that it knows, resolvers. */
  int32_t takes_argument;
  const char *TROUPE_NULLABLE name;
  /* The type of the value, also of one behind a pointer, or of an element. */
  const troupe_type *type;
  /* The index of the parameter that is the length of this buffer; -1 for any other length, and for a parameter that is no buffer. */
  intptr_t length_parameter;
} troupe_parameter;

/* The type of a function as data. */
struct troupe_signature {
  uint32_t struct_size;
  /* 1 if the signature says how to recognize a failure, with "errno" or "error". */
  int32_t can_fail;
  /* 1 if further arguments may follow, as in "...". */
  int32_t is_variadic;
  int32_t reserved;
  /* The text, which parses to the same signature. */
  const char *text;
  const troupe_type *result;
  size_t parameter_count;
  const troupe_parameter *TROUPE_NONNULL const *TROUPE_NULLABLE parameters;
};

/* ---------------------------------------------------------------------------------------------------------------- */
/* Calls                                                                                                            */
/* ---------------------------------------------------------------------------------------------------------------- */

typedef struct troupe_call_value troupe_call_value;

/* A function that C calls back: `invoke` gets a value for each parameter, borrowed for the call, and stores the result, which is a number,
 * a pointer or a struct; the library copies a struct before it releases anything. `invoke` returns TROUPE_OK, or another status to fail the
 * call that led to the callback. The plugin decides on which threads it runs. [any thread] */
typedef struct troupe_callback {
  troupe_status (*TROUPE_CHECKED invoke)(void *TROUPE_NULLABLE context, const troupe_call_value *TROUPE_NULLABLE arguments,
                                         size_t count, troupe_call_value *result);
  void *TROUPE_NULLABLE context;
} troupe_callback;

/* Further kinds of troupe_call_value.kind, beside those of troupe_value: TROUPE_VALUE_BOOL to TROUPE_VALUE_POINTER. */
enum {
  /* Nothing: the result of a `void` function. */
  TROUPE_VALUE_VOID = 6,
  /* as.memory: `count` elements as C stores them. As an argument it is a buffer or the target of a pointer, which the function gets
   * without a copy, or one struct; the library cannot check that the elements are of the parameter's type. A function in a worker gets a copy of a buffer, which
   * is copied back unless it is constant. As a result it is a buffer of numbers or bytes, or a `long double`. */
  TROUPE_VALUE_MEMORY = 7,
  /* as.values: `count` elements. For a pointer the call allocates memory for them; see TROUPE_VALUE_STRUCT. */
  TROUPE_VALUE_ARRAY = 8,
  /* as.values: `count` members, each with its name. Also the result of a function with outputs: its result as "return", unless it
   * is void, and each output under its parameter's name. For a pointer to a struct the call allocates the struct. For any other pointer,
   * one integer with the name "bytes" is a size: the call allocates as many zero bytes. If the function may have written such memory, the
   * result has the function's own as "result", and the contents under the parameter's name, or its number from 1; or the one thing alone. */
  TROUPE_VALUE_STRUCT = 9,
  /* as.callback: only as an argument, valid until the call returns. C that calls it later gets zero, and the log has a line; see
   * troupe_callback_new. A C function of the right type is a TROUPE_VALUE_POINTER. */
  TROUPE_VALUE_CALLBACK = 10,
  /* as.object. As a result a pointer to a struct that only the library knows. */
  TROUPE_VALUE_OBJECT = 11,
  /* as.object: a pointer to a struct whose members troupe_object_read reads; see troupe_host_options.has_references. */
  TROUPE_VALUE_REFERENCE = 12
};

/* An argument or a result. The library converts an argument to the parameter's type, and refuses a conversion that would lose
 * information. A result of an unsigned integer type is a TROUPE_VALUE_UINT64, of a signed one a TROUPE_VALUE_INT64, an enumeration its
 * number, and a `float` a TROUPE_VALUE_DOUBLE. The layout never changes. */
struct troupe_call_value {
  troupe_value_kind kind;
  int32_t reserved;
  union {
    int64_t int64;
    uint64_t uint64;
    double float64;
    const char *TROUPE_NULLABLE string;
    void *TROUPE_NULLABLE pointer;
    void *TROUPE_NULLABLE memory;
    const troupe_call_value *TROUPE_NULLABLE values;
    const troupe_callback *TROUPE_NULLABLE callback;
    troupe_object *TROUPE_NULLABLE object;
  } as;
  /* The number of elements or members; of a result string its number of bytes. */
  size_t count;
  /* The name of a member, else NULL. */
  const char *TROUPE_NULLABLE name;
};

#if !defined(__cplusplus)
#define TROUPE_BOOL(value) ((troupe_call_value){.kind = TROUPE_VALUE_BOOL, .as.int64 = (value) ? 1 : 0})
#define TROUPE_INT64(value) ((troupe_call_value){.kind = TROUPE_VALUE_INT64, .as.int64 = (value)})
#define TROUPE_UINT64(value) ((troupe_call_value){.kind = TROUPE_VALUE_UINT64, .as.uint64 = (value)})
#define TROUPE_DOUBLE(value) ((troupe_call_value){.kind = TROUPE_VALUE_DOUBLE, .as.float64 = (value)})
#define TROUPE_STRING(value) ((troupe_call_value){.kind = TROUPE_VALUE_STRING, .as.string = (value)})
#define TROUPE_MEMORY(value, elements)                                                                                \
  ((troupe_call_value){.kind = TROUPE_VALUE_MEMORY, .as.memory = (void *)(value), .count = (elements)})
#endif

/* Releases everything that a result owns, and makes it TROUPE_VALUE_VOID. Does nothing for numbers. Only for results of this library.
 * [one caller] */
void troupe_call_value_clear(troupe_call_value *TROUPE_NULLABLE value);
/* Releases an object. That of a result the program has copied out of the result, or out of one of its members or elements, and has set the
 * kind of that value to TROUPE_VALUE_VOID. [any thread] */
void troupe_object_free(troupe_object *TROUPE_NULLABLE object);
/* Returns the address of an object; NULL after its library has released it, and for an object in a worker. [any thread] */
void *TROUPE_NULLABLE troupe_object_address(const troupe_object *object);
/* Returns the type of what is at the address: a struct, the element of memory, or the TROUPE_TYPE_CALLBACK of a callback. A struct that only
 * the library knows is a TROUPE_TYPE_VOID with its name. Owned by the object. [any thread] */
const troupe_type *troupe_object_type(const troupe_object *object);
/*
 * Reads a member or an element, or all of them. Nothing else is copied.
 *
 *     troupe_object_read(node, "next.name", &name, &error)         follows the pointer `next`
 *     troupe_object_read(points, "[2].x", &x, &error)
 *     troupe_object_read(time, "", &members, &error)               a TROUPE_VALUE_STRUCT
 *
 * A member that is a pointer to a struct is an object that keeps `object`. Release the result with troupe_call_value_clear. Errors:
 * invalidData (there is no such member, it is behind NULL, or only the library knows the struct), unavailable (the object has been
 * released). A released struct that the library does not say it has released is the program's fault, as in C. [any thread]
 */
troupe_status troupe_object_read(const troupe_object *TROUPE_CHECKED object, const char *TROUPE_CHECKED path,
                                 troupe_call_value *TROUPE_CHECKED result, troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);
/* Writes a member or an element, or all of them. What it then points to, such as a text, lives until another write replaces it, or until the
 * release of the object. Errors: those of troupe_object_read, and invalidData (the value does not fit). [one caller] */
troupe_status troupe_object_write(troupe_object *TROUPE_CHECKED object, const char *TROUPE_CHECKED path,
                                  const troupe_call_value *TROUPE_CHECKED value,
                                  troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);
/*
 * Allocates memory for `count` elements of a C type, zero at first: a struct in which a library keeps its state, an array that several
 * calls fill. Release it with troupe_object_free, after C has ceased to use it.
 *
 *     troupe_object *state = troupe_memory_new("struct state { int x; double sum[4]; }", 1, &error);
 *
 * Errors: invalidSignature, invalidArgument (`count` is 0), missingResource (no memory). [any thread]
 */
troupe_object *TROUPE_NULLABLE troupe_memory_new(const char *TROUPE_CHECKED type, size_t count,
                                                 troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);
/*
 * Makes a C function that calls `callback`, for a library that keeps the pointer beyond the call. Release it with troupe_object_free: if C
 * calls it afterwards, it gets zero, and the log has a line. `destroy` is called with the context once no call can begin or be under way,
 * on any thread; it is not called if this function fails. A status other than TROUPE_OK of a callback gives C zero, and fails the
 * troupe_function_call on the same thread that led to it, if there is one.
 *
 *     troupe_callback on_start = {start_element, parser_state};
 *     troupe_object *start = troupe_callback_new("void (void *data, const char *name, void *attributes)", &on_start, NULL, &error);
 *
 * Errors: invalidSignature (it is malformed, or no callback can have it), missingResource (no memory for code). [any thread]
 */
troupe_object *TROUPE_NULLABLE troupe_callback_new(const char *TROUPE_CHECKED signature,
                                                   const troupe_callback *TROUPE_CHECKED callback,
                                                   void (*TROUPE_NULLABLE destroy)(void *TROUPE_NULLABLE context),
                                                   troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);

/* Returns the plain C function with a name or a UUID, and loads its plugin. Release it with troupe_function_free. Errors: notRegistered,
 * ambiguous (several functions have the name: use the UUID), and the reason why the plugin cannot be loaded. [any thread] */
troupe_function_t *TROUPE_NULLABLE troupe_host_function(const troupe_host_t *TROUPE_CHECKED host,
                                                        const char *TROUPE_CHECKED name,
                                                        troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);
void troupe_function_free(troupe_function_t *TROUPE_NULLABLE function);
/* Returns the registered name. [any thread] */
const char *troupe_function_name(const troupe_function_t *function);
/* Returns the type of the function, owned by the function. [any thread] */
const troupe_signature *troupe_function_signature(const troupe_function_t *function);
/* Returns 1 if calls on several threads run at once: functions of plugins, and those of an adopted library with "threads": "any" in its
 * file. Else 0: its calls, of any kind and of all hosts of the process, wait for each other and for those of the other such functions of
 * the library. A callback may call the library again on its thread. [any thread] */
int32_t troupe_function_is_thread_safe(const troupe_function_t *function);
/* Returns 1 if the function runs in a worker, else 0. [any thread] */
int32_t troupe_function_is_isolated(const troupe_function_t *function);

/*
 * Calls a function with `count` arguments, one for each parameter that takes one. `*result` need not be initialized; on success it has the
 * result, to be released with troupe_call_value_clear unless it is a number; on failure it is TROUPE_VALUE_VOID. Cost: some
 * nanoseconds if all parameters and the result are numbers. Errors: usage (the number of arguments), invalidData (an argument does not
 * fit), reportedFailure (the function reports that it failed, in the way that its signature names), unavailable (a callback failed, or
 * the result is invalid), missingResource. For a plugin in a worker also crashed and exited (the worker ended), timedOut (the deadline of
 * the policy passed), notPermitted (the policy forbids a system call), tooLarge (the policy's shared memory is too small), and unavailable
 * (the worker ended too often). [any thread]
 */
troupe_status troupe_function_call(const troupe_function_t *TROUPE_CHECKED function,
                                   const troupe_call_value *TROUPE_NULLABLE arguments, size_t count,
                                   troupe_call_value *TROUPE_CHECKED result,
                                   troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);
/*
 * Returns the address of a function for direct calls, after a comparison of its type with the type that the caller has. Valid until the
 * release of `function`.
 *
 *     double (*area)(double, double) =
 *       (double (*)(double, double))troupe_function_address(function, "double (double, double)", &error);
 *
 * Returns NULL with the error invalidSignature if `signature` is malformed or another type, or unavailable if the plugin is in a worker or
 * the function is not thread-safe, since a direct call waits for no other. [any thread]
 */
troupe_function TROUPE_NULLABLE troupe_function_address(const troupe_function_t *TROUPE_CHECKED function,
                                                        const char *TROUPE_CHECKED signature,
                                                        troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Calls over columns                                                                                               */
/* ---------------------------------------------------------------------------------------------------------------- */

/*
 * An input column: the argument of one parameter for each row. The data is not copied.
 *
 * The column of a buffer parameter such as `const double x[n]` is the buffer itself: all rows get the whole of it, `count` elements, and
 * the stride must be the size of an element.
 */
typedef struct troupe_column {
  uint32_t struct_size;
  /* The kind of the elements, which must be that of the parameter; for an enumeration that of its integer type, for
   * TROUPE_TYPE_STRUCT of the same size. */
  troupe_type_kind kind;
  /* The element of the first row; aligned for its type or not. */
  const void *TROUPE_NULLABLE data;
  /* The number of bytes from one row to the next; may be negative; 0 gives all rows the first element. */
  intptr_t stride;
  /* The number of elements of a buffer; ignored for any other column. */
  size_t count;
  /* A bitmap with a 1 for each row that has a value, the least significant bit of the first byte first; NULL if all have. Rows with a
   * null in any column are not computed, and are null in the output. */
  const uint8_t *TROUPE_NULLABLE validity;
  /* The number of the bitmap's bit that belongs to the first row. */
  size_t validity_offset;
  /* The size of an element in bytes, for TROUPE_TYPE_STRUCT; ignored for any other kind. */
  size_t element_size;
} troupe_column;

/* An output column, in the caller's memory: for the result, unless it is void, and for each parameter with "out" or "inout". */
typedef struct troupe_output_column {
  uint32_t struct_size;
  troupe_type_kind kind;
  void *TROUPE_NULLABLE data;
  /* As in troupe_column; 0 only if there is one row. */
  intptr_t stride;
  /* A bitmap that the call writes, or NULL: then a null input, or a failure that makes a row null, is an error. */
  uint8_t *TROUPE_NULLABLE validity;
  size_t validity_offset;
  size_t element_size;
  /* The number of null rows, which the call writes. Their elements are zero. */
  size_t null_count;
} troupe_output_column;

/* The effect of a row for which the function reports that it failed, in the way that its signature names: the row ends the call, or becomes
 * null. Any other failure ends the call. */
typedef int32_t troupe_row_failure;
enum { TROUPE_ROW_FAILURE_ENDS = 0, TROUPE_ROW_FAILURE_IS_NULL = 1 };

/* The options of a call over columns. Zero is the default of each. */
typedef struct troupe_map_options {
  uint32_t struct_size;
  troupe_row_failure row_failure;
  /* The number of threads that share the rows; 0 or 1 for the caller's thread alone. More are an error unless the function is declared
   * callable on any thread: all functions of plugins are, a function of an adopted library needs "threads": "any" in its file. */
  uint32_t threads;
  uint32_t reserved;
  /* Called for each failing row that becomes null, on the thread that computed it, so that several threads may call it at once. The error
   * is valid for the call. May be NULL. */
  void (*TROUPE_NULLABLE report_row)(void *TROUPE_NULLABLE context, size_t row, const troupe_error *error);
  void *TROUPE_NULLABLE context;
} troupe_map_options;

/*
 * Calls a function once for each of `row_count` rows. `columns` has one column for each parameter that takes an argument, `outputs`
 * one for the result, unless it is void, and for each output, in their order. An output may be the same memory as an input with the
 * same stride.
 *
 * Parameters and results are numbers, booleans, enumerations, structs, pointers and strings (`const char *` elements, not copied),
 * references to them, and buffers that the function reads. For a constant pointer to a struct, the column has the structs or pointers. A
 * function with a vectorized body, see TROUPE_MAP_FACTORY, is called once for many rows.
 *
 * Errors: usage (the number of columns), invalidData (a column has another kind, a null without a bitmap), reportedFailure (a row failed;
 * the error names the row, and rows before it have their results), invalidSignature (the function cannot be called over columns), and those
 * of a call. [any thread]
 */
troupe_status troupe_function_map(const troupe_function_t *TROUPE_CHECKED function,
                                  const troupe_column *TROUPE_NONNULL const *TROUPE_NULLABLE columns, size_t column_count,
                                  size_t row_count, troupe_output_column *TROUPE_NONNULL const *TROUPE_NULLABLE outputs,
                                  size_t output_count, const troupe_map_options *TROUPE_NULLABLE options,
                                  troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);

/* Returns the loop of a function whose parameters and result are numbers or booleans, and stores the last argument of the loop in `*data`.
 * Without a vectorized body, see TROUPE_MAP_FACTORY, a function with a loop has at most eight parameters. The loop and `*data` are valid
 * until the release of `function`, on any thread; the loop of a function that is not thread-safe waits for other calls. Returns NULL with
 * the error unavailable if the plugin is in a worker, or invalidSignature for any other function. [any thread] */
troupe_loop TROUPE_NULLABLE troupe_function_loop(const troupe_function_t *TROUPE_CHECKED function,
                                                 void *TROUPE_NULLABLE *TROUPE_CHECKED data,
                                                 troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);

/*
 * The Arrow C data interface, as its specification prescribes the structs:
 * https://arrow.apache.org/docs/format/CDataInterface.html
 */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char *TROUPE_NULLABLE format;
  const char *TROUPE_NULLABLE name;
  const char *TROUPE_NULLABLE metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema *TROUPE_NULLABLE *TROUPE_NULLABLE children;
  struct ArrowSchema *TROUPE_NULLABLE dictionary;
  void (*TROUPE_NULLABLE release)(struct ArrowSchema *TROUPE_NONNULL);
  void *TROUPE_NULLABLE private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void *TROUPE_NULLABLE *TROUPE_NULLABLE buffers;
  struct ArrowArray *TROUPE_NULLABLE *TROUPE_NULLABLE children;
  struct ArrowArray *TROUPE_NULLABLE dictionary;
  void (*TROUPE_NULLABLE release)(struct ArrowArray *TROUPE_NONNULL);
  void *TROUPE_NULLABLE private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

/*
 * Calls a function over Arrow arrays, one for each parameter that takes an argument, and makes a new array of the result. Arrays of
 * length 1 are repeated for all rows. The inputs stay the caller's and are read in place, but for booleans, which Arrow packs into
 * bits; the caller releases the result with its `release`. Integers, floating-point numbers and booleans only; buffers get a whole
 * array. For a function with several results, or none, use troupe_function_map. Errors as of troupe_function_map. [any thread]
 */
troupe_status troupe_function_map_arrow(const troupe_function_t *TROUPE_CHECKED function,
                                        const struct ArrowSchema *TROUPE_NONNULL const *TROUPE_NULLABLE schemas,
                                        const struct ArrowArray *TROUPE_NONNULL const *TROUPE_NULLABLE arrays, size_t count,
                                        const troupe_map_options *TROUPE_NULLABLE options,
                                        struct ArrowSchema *TROUPE_CHECKED result_schema,
                                        struct ArrowArray *TROUPE_CHECKED result,
                                        troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Instances and transforms                                                                                         */
/* ---------------------------------------------------------------------------------------------------------------- */

/* Returns a scope: instances of factories with TROUPE_SCOPED exist once in it. It keeps them until its release. [any thread] */
troupe_scope *troupe_scope_new(const troupe_host_t *host);
void troupe_scope_free(troupe_scope *TROUPE_NULLABLE scope);

/* The registrations to resolve. */
typedef struct troupe_request {
  uint32_t struct_size;
  uint32_t reserved;
  /* The tags that a registration must have, all `tag_count` of them; a tag in the form of a UUID is the factory's UUID. */
  const char *TROUPE_NONNULL const *TROUPE_NULLABLE tags;
  size_t tag_count;
  /* The contract of the instances, such as "troupe.transform/1"; NULL for any. */
  const char *TROUPE_NULLABLE contract;
  /* The arguments for the factories, `argument_count` of them. */
  const troupe_call_value *TROUPE_NULLABLE arguments;
  size_t argument_count;
  /* The scope of the instances; NULL for the host's own. */
  const troupe_scope *TROUPE_NULLABLE scope;
} troupe_request;

/* Instances in the order of their registrations. */
typedef struct troupe_instance_list {
  size_t count;
  troupe_instance_t *TROUPE_NONNULL const *TROUPE_NULLABLE items;
} troupe_instance_list;

/* Makes an instance of each registration of a factory that fits; functions have no instances. Release the list, and with it the
 * instances, with troupe_instance_list_free. No registration fits: an empty list. Errors: invalidArgument, usage and invalidData for
 * the arguments, the reason why a plugin cannot be loaded, unavailable (a factory failed, or is one in Swift that is asynchronous or runs
 * on the main actor); one failure fails the call. [any thread] */
troupe_instance_list *TROUPE_NULLABLE troupe_host_resolve(const troupe_host_t *TROUPE_CHECKED host,
                                                          const troupe_request *TROUPE_CHECKED request,
                                                          troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);
void troupe_instance_list_free(troupe_instance_list *TROUPE_NULLABLE list);

/* Returns the registration of the instance's factory, owned by the instance. [any thread] */
const troupe_registration *troupe_instance_registration(const troupe_instance_t *instance);
/* Returns the object and, in `*table`, the contract's table of functions, for a program that knows the contract in C. Both are valid until
 * the release of the instance. Returns NULL for a Swift instance of a contract that has no form in C. [any thread] */
void *TROUPE_NULLABLE troupe_instance_object(const troupe_instance_t *instance,
                                             const void *TROUPE_NULLABLE *TROUPE_NULLABLE table);

/* Takes output of a transform, borrowed for the call. Returns TROUPE_OK, or another status to end the transform. Runs on the thread that
 * calls the transform. */
typedef troupe_status (*troupe_write)(void *TROUPE_NULLABLE context, const void *TROUPE_NULLABLE bytes, size_t count);

/* Returns 1 for a transform, made in C or in Swift. [any thread] */
int32_t troupe_instance_is_transform(const troupe_instance_t *instance);
/* Passes `count` bytes to a transform, which writes its output before the function returns. Errors: reportedFailure (the transform fails;
 * it cannot be used afterwards), invalidArgument (the instance is no transform, or has failed or finished before), inputOutput (`write`
 * returned a status), and those of a plugin in a worker as of troupe_function_call. [one caller] */
troupe_status troupe_transform_feed(troupe_instance_t *TROUPE_CHECKED transform, const void *TROUPE_NULLABLE bytes,
                                    size_t count, troupe_write TROUPE_CHECKED write, void *TROUPE_NULLABLE context,
                                    troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);
/* Ends the input of a transform, which writes the rest of its output. Errors as of troupe_transform_feed. [one caller] */
troupe_status troupe_transform_finish(troupe_instance_t *TROUPE_CHECKED transform, troupe_write TROUPE_CHECKED write,
                                      void *TROUPE_NULLABLE context,
                                      troupe_error *TROUPE_NULLABLE *TROUPE_NULLABLE error);
/* Makes a transform as it was when it was resolved, in any state, so that it takes another input: a fraction of the time of
 * troupe_host_resolve. Returns 1, or 0 if its stage has no reset, or if it is no transform or NULL: resolve another one then.
 * [one caller] */
int32_t troupe_transform_reset(troupe_instance_t *TROUPE_NULLABLE transform);

TROUPE_END_

#endif /* TROUPE_HOST_API_H */

/*
 * troupe.h - the Troupe plugin ABI, version 1.0
 *
 * A plugin is a shared library in a directory of plugins. The host reads its manifest without running its code, loads it, and
 * calls its entry, which registers factories. A plugin needs this header alone; there is no library to link.
 *
 *     #include <troupe.h>
 *
 *     TROUPE_PLUGIN("org.example.geometry", "Geometry", "1.0.0")
 *
 *     static double area(double width, double height) { return width * height; }
 *
 *     TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
 *       static const char *const tags[] = {"geometry"};
 *       static const troupe_factory factory = TROUPE_FACTORY(
 *         "2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10", "area", tags, double, area, (double width, double height));
 *       return registrar->register_factory(registrar, &factory);
 *     }
 *
 * Who implements what
 *     The plugin defines troupe_plugin_main and writes the manifest with TROUPE_PLUGIN. The host implements troupe_registrar,
 *     troupe_host, troupe_resolver and troupe_output. A contract's table of functions, such as troupe_transform, is implemented
 *     by the side that made the instance: by the plugin for its own factories, by the host for instances made in Swift.
 *
 * Text
 *     Every string is UTF-8 and ends with a NUL.
 *
 * Memory
 *     Unless a function's comment differs, arguments are borrowed for the call, and the callee copies the parts that it keeps. An
 *     object owns the memory that its functions return. Memory that changes its owner is allocated with troupe_host.allocate
 *     and released with troupe_host.free. Tables of functions and the functions themselves must stay valid for as long as the
 *     plugin is loaded.
 *
 * Threads
 *     Each function carries a tag:
 *       [entry]       only on the thread that runs troupe_plugin_main, and only until it returns
 *       [any thread]  on any thread, also on several at once
 *       [one caller]  on any thread, but never on two at once for the same instance
 *
 * Versions
 *     The ABI version is MAJOR.MINOR. A host loads plugins of its own major version and of no newer minor version than
 *     its own. Every struct of the ABI begins with struct_size, which the side that fills it in sets to its own sizeof. New
 *     versions only append members; the comment of each names its version.
 *
 * Leaving
 *     The host may unload the library once the last instance and the last function of the plugin have been released. A plugin
 *     with threads of its own or with installed handlers keeps its library in memory: link it with -Wl,-z,nodelete.
 *
 * Trust
 *     A plugin runs in the host's process with all the rights of the host. It is trusted code: the host's checks find faults, not
 *     attacks.
 *
 * The header compiles by itself as C11 and later and as C++11 and later.
 */
#ifndef TROUPE_H
#define TROUPE_H

#include <stddef.h>
#include <stdint.h>

#define TROUPE_ABI_MAJOR 1
#define TROUPE_ABI_MINOR 0

#if defined(__cplusplus)
#define TROUPE_EXTERN_C extern "C"
#else
#define TROUPE_EXTERN_C extern
#endif

/* Exports the entry, the one function that a plugin exports, under -fvisibility=hidden too. */
#define TROUPE_EXPORT TROUPE_EXTERN_C __attribute__((visibility("default")))

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#pragma clang assume_nonnull begin
#define TROUPE_NULLABLE _Nullable
#define TROUPE_NONNULL _Nonnull
/* Must not be NULL; the host checks it nevertheless. */
#define TROUPE_CHECKED _Null_unspecified
#define TROUPE_SWIFT_NAME(name) __attribute__((swift_name(#name)))
#else
#define TROUPE_NULLABLE
#define TROUPE_NONNULL
#define TROUPE_CHECKED
#define TROUPE_SWIFT_NAME(name)
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------- */
/* Types                                                                                                            */
/* ---------------------------------------------------------------------------------------------------------------- */

/* The result of a call. Zero is success; a value that is not listed counts as TROUPE_FAILED. */
typedef int32_t troupe_status;
enum {
  /* The call succeeded. */
  TROUPE_OK = 0,
  /* The call failed; a message gives the reason. */
  TROUPE_FAILED = 1,
  /* An argument is NULL, out of range, malformed, or its struct_size is too small. */
  TROUPE_INVALID_ARGUMENT = 2,
  /* The signature does not parse, or does not fit the factory. */
  TROUPE_INVALID_SIGNATURE = 3,
  /* Another factory has the UUID. */
  TROUPE_DUPLICATE = 4,
  /* The contract's table lacks a function or is too small. */
  TROUPE_INVALID_CONTRACT = 5,
  /* A registrar was used after troupe_plugin_main returned. */
  TROUPE_TOO_LATE = 6,
  /* The function may not be called on this thread. */
  TROUPE_WRONG_THREAD = 7,
  /* No registration fits. */
  TROUPE_NOT_FOUND = 8,
  /* Several registrations fit a request for one. */
  TROUPE_AMBIGUOUS = 9,
  /* There is not enough memory. */
  TROUPE_OUT_OF_MEMORY = 10
};

/* The lifetime of an instance: one for each resolve, one for all, or one for each scope. A scope is one piece of work of the host:
 * `troupe run` has a scope for each file. */
typedef int32_t troupe_lifetime;
enum { TROUPE_TRANSIENT = 0, TROUPE_SINGLETON = 1, TROUPE_SCOPED = 2 };

/* The level of a line in the log. */
typedef int32_t troupe_log_level;
enum { TROUPE_LOG_DEBUG = 0, TROUPE_LOG_INFO = 1, TROUPE_LOG_WARNING = 2, TROUPE_LOG_ERROR = 3 };

typedef struct TROUPE_SWIFT_NAME(CHost) troupe_host troupe_host;
typedef struct TROUPE_SWIFT_NAME(CRegistrar) troupe_registrar troupe_registrar;
typedef struct TROUPE_SWIFT_NAME(CResolver) troupe_resolver troupe_resolver;
typedef struct TROUPE_SWIFT_NAME(COutput) troupe_output troupe_output;

/* A C function of any type; the signature beside it gives the type. TROUPE_FUNCTION converts to it. */
typedef void (*troupe_function)(void);
#if defined(__cplusplus)
#define TROUPE_FUNCTION(function) (reinterpret_cast<troupe_function>(function))
#else
#define TROUPE_FUNCTION(function) ((troupe_function)(function))
#endif

/* One entry of a factory's metadata. */
typedef struct TROUPE_SWIFT_NAME(CMetadata) troupe_metadata {
  const char *TROUPE_CHECKED key;
  const char *TROUPE_CHECKED value;
} troupe_metadata;

/* The member of troupe_value.as that holds the value. */
typedef int32_t troupe_value_kind;
enum {
  TROUPE_VALUE_BOOL = 0,     /* as.int64, 0 or 1 */
  TROUPE_VALUE_INT64 = 1,    /* as.int64 */
  TROUPE_VALUE_UINT64 = 2,   /* as.uint64 */
  TROUPE_VALUE_DOUBLE = 3,   /* as.float64 */
  TROUPE_VALUE_STRING = 4,   /* as.string, may be NULL */
  TROUPE_VALUE_POINTER = 5   /* as.pointer, may be NULL */
};

/* An argument for a factory, or the value of a setting. The host converts an argument to the parameter's type and refuses a
 * conversion that would lose information. */
typedef struct TROUPE_SWIFT_NAME(CValue) troupe_value {
  troupe_value_kind kind;
  int32_t reserved;
  union {
    int64_t int64;
    uint64_t uint64;
    double float64;
    const char *TROUPE_NULLABLE string;
    void *TROUPE_NULLABLE pointer;
  } as;
} troupe_value;

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

/*
 * The streaming stage: takes bytes in pieces of any size and writes bytes to an output as they become available.
 * Contract "troupe.transform/1". The caller uses an instance on one thread at a time: `feed` any number of times, then
 * `finish` once. plugins/base64 is a complete example. After a failure the caller calls only `message` and then destroys the
 * instance. `bytes` is not NULL.
 */
#define TROUPE_CONTRACT_TRANSFORM "troupe.transform/1"
typedef struct TROUPE_SWIFT_NAME(CTransform) troupe_transform {
  uint32_t struct_size;
  uint32_t reserved;
  /* Takes `count` bytes, borrowed for the call, and writes the output that is ready. Returns TROUPE_OK or the kind of failure; if
   * output->write fails, returns that status. [one caller] */
  troupe_status (*TROUPE_CHECKED feed)(void *instance, const void *bytes, size_t count, const troupe_output *output);
  /* Ends the input: writes the rest of the output. Statuses as for `feed`. [one caller] */
  troupe_status (*TROUPE_CHECKED finish)(void *instance, const troupe_output *output);
  /* Returns the reason why the last `feed` or `finish` failed, owned by the instance and valid until the next call on it, or
   * NULL. The member itself may be NULL. [one caller] */
  const char *TROUPE_NULLABLE (*TROUPE_NULLABLE message)(void *instance);
} troupe_transform;

/*
 * A registration: a C function under a UUID and tags. TROUPE_FACTORY and TROUPE_CONTRACT_FACTORY initialize it.
 *
 * Without a contract it is a plain function: the host calls it with the caller's arguments and returns its result to the caller.
 * With a contract it is a factory: it returns a pointer to a new instance, which the functions of `vtable` take as their first
 * argument and which `destroy` releases.
 *
 * The signature is a C function type in text, result first, parameter names optional; TROUPE_SIGNATURE makes it from the
 * function's declaration, so that the two cannot differ. A few words add to C's types: which pointers receive results, how long a
 * buffer is, which function frees a result.
 *
 *     double (double width, double height)
 *     struct point { double x, y; }; double (const struct point corners[count], size_t count)
 *     int (const void data[count], size_t count, out owned(free) char **message) errno
 *     void (int numbers[count], size_t count, int (*compare)(int a, int b))
 *
 *     signature  = { definition ";" } result "(" [ "void" | parameters ] ")" [ "errno" | "errno" "(" "any" ")" ]
 *     result     = [ "owned" "(" function ")" ] type [ "[" parameter's name "]" ]
 *     parameters = parameter { "," parameter } [ "," "..." { "," parameter } ]
 *     parameter  = [ "out" | "inout" ] [ "owned" "(" function ")" ] type [ name ] { "[" length "]" }
 *                | type "(" "*" [ name ] ")" "(" [ "void" | parameters ] ")"
 *     length     = the name of an integer parameter, or a number
 *     type       = base { "*" }, with "const" wherever C allows it
 *     base       = "void" | "bool" | "_Bool" | "float" | "double" | "long double", the last three also with "_Complex"
 *                | "string" | "pointer" | "resolver" | definition | ( "struct" | "union" | "enum" ) tag
 *                | "char" | "signed char" | "unsigned char" | "short" | "int" | "long" | "long long", and the last four
 *                  with "signed" or "unsigned" before and "int" behind, as in C
 *                | "int8_t" ... "int64_t" | "uint8_t" ... "uint64_t" | "size_t" | "ssize_t" | "ptrdiff_t" | "intptr_t"
 *                | "uintptr_t" | "intmax_t" | "uintmax_t" | "wchar_t" | "wint_t" | "char16_t" | "char32_t"
 *     definition = ( "struct" | "union" ) [ tag ] "{" { members ";" } "}" [ "packed" ]
 *                | "enum" [ tag ] [ ":" integer type ] "{" name [ "=" number ] { "," name [ "=" number ] } "}"
 *     members    = as in C, arrays and callbacks among them, without bit-fields
 *
 * The host shows a signature in C's own spelling: "string" as "const char *", "pointer" as "void *". A struct, union or
 * enum is defined before the result or at its first use; afterwards its tag is enough. Without a definition it is opaque:
 * a signature can only have pointers to it.
 *
 * "string" is a C string; "const char *" is the same. As an argument it is borrowed for the call. As a result the plugin owns
 * it, and it stays valid until the host has copied it, before the next call; it may be NULL. "owned(free)" marks a result, or
 * the value of an "out" parameter, that the host frees with that function after the copy. The host looks the function up in the
 * plugin's library and in the libraries that it is linked with. "pointer" and every other type that ends in "*" is an opaque
 * pointer. "resolver" is a `const troupe_resolver *` that the host passes itself; the caller gives no argument for it. A factory
 * gets the resolver of the scope in which its instance is resolved, valid for as long as the instance; after the end of the
 * scope it resolves no more. A plain function gets the registrar's resolver.
 *
 * "out" and "inout" parameters point to memory of the host, valid for the call. The host returns their values with the result,
 * under the parameters' names. "const T x[count]" is a pointer to `count` elements that the function reads, "T x[count]" to
 * elements that it reads and writes, "out T x[count]" to space for `count` elements; `count` is another parameter, which the
 * host fills in. "void x[count]" is counted in bytes. If `count` is "inout", the function stores the number of written elements
 * there. Behind a result, "[count]" is the number of elements that it points to.
 *
 * With "errno", a result of -1, NULL or false for which the function has set errno is an error with the system's text;
 * with "errno(any)" it is an error whenever errno is set.
 *
 * The host calls `function` on any thread, also on several at once.
 */
typedef struct TROUPE_SWIFT_NAME(CFactory) troupe_factory {
  uint32_t struct_size;
  /* The lifetime of the instances; TROUPE_TRANSIENT for a plain function. */
  troupe_lifetime lifetime;
  /* The factory's own UUID in text, 36 characters. No two factories in a host have the same. */
  const char *TROUPE_CHECKED uuid;
  /* A short name, for example for `troupe call`. */
  const char *TROUPE_CHECKED name;
  /* The contract of the instances, or NULL for a plain function. The host need not know the contract: other plugins that do can
   * resolve the instances. */
  const char *TROUPE_NULLABLE contract;
  /* The type of `function`, in the grammar above. */
  const char *TROUPE_CHECKED signature;
  /* The function. With a contract it returns a pointer; NULL means failure, for the reason given to troupe_host.fail. */
  troupe_function TROUPE_CHECKED function;
  /* Releases an instance that `function` returned. The host calls it exactly once for each, on any thread. NULL if instances need
   * no release. Must be NULL for a plain function. */
  void (*TROUPE_NULLABLE destroy)(void *instance);
  /* The contract's table, which must outlive the instances. NULL for a plain function; may be NULL for a contract that the host
   * does not know. */
  const void *TROUPE_NULLABLE vtable;
  /* Category tags, `tag_count` of them. May be NULL if there are none. */
  const char *TROUPE_CHECKED const *TROUPE_NULLABLE tags;
  /* Metadata of the factory, `metadata_count` entries. May be NULL if there are none. */
  const troupe_metadata *TROUPE_NULLABLE metadata;
  uint32_t tag_count;
  uint32_t metadata_count;
} troupe_factory;

/* ---------------------------------------------------------------------------------------------------------------- */
/* Provided by the plugin                                                                                           */
/* ---------------------------------------------------------------------------------------------------------------- */

/*
 * The entry, which registers the plugin's factories. The host calls it once, after it has loaded the library. Returns TROUPE_OK,
 * or another status to have the plugin refused: the host then unregisters its factories and shows the reason that was given to
 * troupe_host.fail. `registrar` is valid until the function returns, `registrar->host` for as long as the plugin is loaded. An
 * exception must not leave the function.
 */
TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar);

/*
 * The manifest: an ELF note named "Troupe" of type 1 with JSON, which the host reads without running the plugin. Write it once, at
 * file scope, with string literals: the id in reverse DNS notation, a display name, a semantic version. None of them may contain
 * a quote or a backslash. No semicolon follows.
 *
 *     TROUPE_PLUGIN("org.example.geometry", "Geometry", "1.0.0")
 */
#define TROUPE_NOTE_NAME "Troupe"
#define TROUPE_NOTE_TYPE 1

#if defined(__cplusplus)
#define TROUPE_LANGUAGE "c++"
#else
#define TROUPE_LANGUAGE "c"
#endif

#define TROUPE_STRINGIFY_(x) #x
#define TROUPE_STRINGIFY(x) TROUPE_STRINGIFY_(x)
#define TROUPE_ABI_TEXT TROUPE_STRINGIFY(TROUPE_ABI_MAJOR) "." TROUPE_STRINGIFY(TROUPE_ABI_MINOR)

#define TROUPE_PLUGIN(id, name, version)                                                                              \
  TROUPE_MANIFEST("{\"id\":\"" id "\",\"name\":\"" name "\",\"version\":\"" version "\",\"language\":\"" TROUPE_LANGUAGE \
                  "\",\"abi\":\"" TROUPE_ABI_TEXT "\"}")

/*
 * The manifest with further members. TROUPE_REQUIRES lists the plugins that this one needs, by id and optional range of versions,
 * and the contracts, by name; the host loads them first and rejects this plugin if one is missing. A range is a version behind
 * =, >, >=, <, <=, or behind ^ for all compatible versions; several conditions are separated by spaces. TROUPE_PROVIDES lists the
 * contracts that this plugin offers. The host loads a plugin at the first resolve of one of its factories; TROUPE_EAGER makes
 * it load the plugin at the start, for plugins that work without being resolved.
 *
 *     TROUPE_PLUGIN_WITH("org.example.chart", "Chart", "1.0.0",
 *                        TROUPE_REQUIRES("org.example.geometry ^1.2.0", "org.example.clock/1"),
 *                        TROUPE_PROVIDES("org.example.chart/1"))
 */
#define TROUPE_PLUGIN_WITH(id, name, version, ...)                                                                    \
  TROUPE_MANIFEST("{\"id\":\"" id "\",\"name\":\"" name "\",\"version\":\"" version "\",\"language\":\"" TROUPE_LANGUAGE \
                  "\",\"abi\":\"" TROUPE_ABI_TEXT "\"" TROUPE_MAP_(TROUPE_AS_IT_IS_, TROUPE_NOTHING_, __VA_ARGS__) "}")
#define TROUPE_REQUIRES(...) ",\"requires\":[" TROUPE_MAP_(TROUPE_QUOTED_, TROUPE_JSON_COMMA_, __VA_ARGS__) "]"
/*
 * The keys of the plugin's configuration, each with its type, its default, its range or choices, and a description. The host
 * then refuses other keys and values that do not fit, supplies the defaults, and lists the settings in `troupe inspect`. A plugin
 * without TROUPE_SETTINGS takes every configuration. Numbers are decimal literals; at most 24 settings. troupe_host.setting reads
 * the values.
 *
 *     TROUPE_PLUGIN_WITH("org.example.wrap", "Wrap", "1.0.0",
 *                        TROUPE_SETTINGS(TROUPE_SETTING_INTEGER("width", 76, 1, 1000, "Bytes in a line"),
 *                                        TROUPE_SETTING_NUMBER("ratio", 0.5, 0, 1, "Share of the input"),
 *                                        TROUPE_SETTING_BOOLEAN("strict", false, "Fail on long words"),
 *                                        TROUPE_SETTING_TEXT("prefix", "> ", "Text before each line"),
 *                                        TROUPE_SETTING_CHOICE("break", "word", "Where a line ends", "word", "character")))
 */
#define TROUPE_SETTINGS(...) ",\"settings\":[" TROUPE_MAP_(TROUPE_AS_IT_IS_, TROUPE_JSON_COMMA_, __VA_ARGS__) "]"
#define TROUPE_SETTING_TEXT(key, value, description)                                                                  \
  TROUPE_SETTING_(key, "text", TROUPE_QUOTED_(value), "", description)
#define TROUPE_SETTING_CHOICE(key, value, description, ...)                                                           \
  TROUPE_SETTING_(key, "choice", TROUPE_QUOTED_(value),                                                               \
                  ",\"choices\":[" TROUPE_MAP_(TROUPE_QUOTED_, TROUPE_JSON_COMMA_, __VA_ARGS__) "]", description)
#define TROUPE_SETTING_INTEGER(key, value, minimum, maximum, description)                                             \
  TROUPE_SETTING_(key, "integer", #value, ",\"minimum\":" #minimum ",\"maximum\":" #maximum, description)
#define TROUPE_SETTING_NUMBER(key, value, minimum, maximum, description)                                              \
  TROUPE_SETTING_(key, "number", #value, ",\"minimum\":" #minimum ",\"maximum\":" #maximum, description)
#define TROUPE_SETTING_BOOLEAN(key, value, description) TROUPE_SETTING_(key, "boolean", #value, "", description)
#define TROUPE_SETTING_(key, type, value, more, description)                                                          \
  "{\"key\":\"" key "\",\"type\":\"" type "\",\"default\":" value more ",\"description\":\"" description "\"}"
#define TROUPE_EAGER ",\"loading\":\"eager\""
#define TROUPE_PROVIDES(...) ",\"provides\":[" TROUPE_MAP_(TROUPE_QUOTED_, TROUPE_JSON_COMMA_, __VA_ARGS__) "]"

/* The note with JSON of your own, for members that TROUPE_PLUGIN_WITH does not cover. The content includes the NUL; the compiler
 * then aligns the section, so that readers find the notes behind it. */
#define TROUPE_MANIFEST(json)                                                                                         \
  __attribute__((section(".note.troupe"), used, aligned(4))) static const struct {                                   \
    uint32_t name_size, content_size, type;                                                                           \
    char name[8];                                                                                                     \
    char content[sizeof(json)];                                                                                       \
  } troupe_plugin_note = {7, sizeof(json), TROUPE_NOTE_TYPE, TROUPE_NOTE_NAME, json};

/* ---------------------------------------------------------------------------------------------------------------- */
/* Provided by the host                                                                                             */
/* ---------------------------------------------------------------------------------------------------------------- */

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

/* Registers factories during troupe_plugin_main. A later call returns TROUPE_TOO_LATE. */
struct troupe_registrar {
  uint32_t struct_size;
  /* The ABI version of the host. */
  uint16_t abi_major;
  uint16_t abi_minor;
  /* Reserved for the host. */
  void *context;
  /* The host's services to this plugin. Keep it in a static variable for the functions that need it later. */
  const troupe_host *host;
  /* Resolves in the host's own scope, which outlives all others. Valid for as long as the plugin is loaded; before
   * troupe_plugin_main returns it may find no registrations. */
  const troupe_resolver *resolver;
  /* Registers one factory. The host copies the descriptor and its strings, tags and metadata, but not `vtable`. Returns
   * TROUPE_OK, or TROUPE_INVALID_ARGUMENT, TROUPE_INVALID_SIGNATURE, TROUPE_INVALID_CONTRACT, TROUPE_DUPLICATE, TROUPE_TOO_LATE or
   * TROUPE_WRONG_THREAD after a line in the log with the fault; the factory is then not registered. [entry] */
  troupe_status (*register_factory)(const troupe_registrar *TROUPE_CHECKED registrar,
                                    const troupe_factory *TROUPE_CHECKED factory);
};

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

/* The output of a transform. Valid for the call that it was passed to. */
struct troupe_output {
  uint32_t struct_size;
  uint32_t reserved;
  /* Reserved for the host. */
  void *context;
  /* Takes `count` bytes, borrowed for the call; `count` may be zero. Returns TROUPE_OK, or a status with which the transform then
   * stops and which it returns. A refused write fails the stream even if the transform ignores the status. [one caller] */
  troupe_status (*write)(const troupe_output *TROUPE_CHECKED output, const void *TROUPE_CHECKED bytes, size_t count);
};

#if defined(__cplusplus)
} /* extern "C" */
#endif

#if defined(__clang__)
#pragma clang assume_nonnull end
#pragma clang diagnostic pop
#endif

/* ---------------------------------------------------------------------------------------------------------------- */
/* Signatures from C's own types                                                                                    */
/* ---------------------------------------------------------------------------------------------------------------- */

/*
 * The text of a signature, from the declaration of a function with a comma on each side of its name. The compiler refuses it if
 * the function is of another type. The value is a constant in C and in C++17 and later; in C++11 and C++14 it is computed when
 * the library is loaded.
 *
 *     static double area(double width, double height) { return width * height; }
 *
 *     factory.signature = TROUPE_SIGNATURE(double, area, (double width, double height));
 *
 * is "double (double width, double height)". The parameters are written as in C, names optional, callbacks as
 * `int (*compare)(const void *, const void *)`, none as (void); at most 24 of them. These marks add to a parameter, and to each
 * other:
 *
 *     TROUPE_OUT(double *result)                 "out double *result"
 *     TROUPE_INOUT(size_t *length)               "inout size_t *length"
 *     TROUPE_BUFFER(const double, xy, count)     "const double xy[count]", to C a `const double *`
 *     TROUPE_OUT(TROUPE_BUFFER(char, text, 80))  "out char text[80]"
 *     TROUPE_OWNED(free, char *text)             "owned(free) char *text", also around the result
 *     TROUPE_POINTER(FILE, file)                 "pointer file", for a type that the host does not know
 *     TROUPE_RESOLVER                            "resolver", to C a `const troupe_resolver *`
 *     TROUPE_VARIADIC                            "...", also TROUPE_VARIADIC_OF(int, double): "..., int, double"
 *
 * These add to the result alone:
 *
 *     TROUPE_RESULT_BUFFER(uint8_t, count)       "uint8_t[count]", to C a `uint8_t *`
 *     TROUPE_ERRNO(int)                          "int", and "errno" behind the parameters
 *     TROUPE_ERRNO_ANY(int)                      "int", and "errno(any)" behind the parameters
 *
 * Write a struct, union or enum of the signature once, as a macro. TROUPE_DEFINE defines the C type from it, and the signature
 * lists it behind the parameters, the types of its members first:
 *
 *     #define POINT TROUPE_STRUCT(point, double x, double y)
 *     TROUPE_DEFINE(POINT);
 *     static double norm(struct point p) { return sqrt(p.x * p.x + p.y * p.y); }
 *
 *     factory.signature = TROUPE_SIGNATURE(double, norm, (struct point p), POINT);
 *
 * is "struct point { double x; double y; }; double (struct point p)". TROUPE_UNION, TROUPE_PACKED_STRUCT and
 * TROUPE_ENUM(color, RED, GREEN = 4) work alike. A struct has at most 24 members, each declared with its own type. Omit
 * TROUPE_DEFINE for a struct of another header; its members are then not checked.
 *
 * The types are those of the grammar above. The name of a typedef of your own is refused; write the type that it names,
 * which is the same type to C. Inside a callback's parameters the host finds such a name when the plugin registers.
 */
#define TROUPE_SIGNATURE(result, function, ...) TROUPE_SIGNATURE_(result, function, #function, __VA_ARGS__, "")

/*
 * Initializers for a troupe_factory. `uuid` and `name` are string literals. `tags` is an array of strings, or TROUPE_NO_TAGS.
 * The rest is as for TROUPE_SIGNATURE, definitions included. The compiler reports a malformed UUID, missing tags, and tags
 * that are not an array.
 *
 *     static const char *const tags[] = {"geometry"};
 *     static const troupe_factory area_factory = TROUPE_FACTORY(
 *       "2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10", "area", tags, double, area, (double width, double height));
 *
 * TROUPE_CONTRACT_FACTORY initializes a factory that makes instances of a contract: `vtable` is the contract's table of
 * functions, `destroy` the function that releases an instance; either may be NULL.
 *
 *     static const troupe_factory encoder_factory = TROUPE_CONTRACT_FACTORY(
 *       "32921d82-82f7-461e-b6b8-8b086d6393f2", "base64-encode", tags, TROUPE_CONTRACT_TRANSFORM, &encoder_functions, free,
 *       void *, encoder_create, (void));
 *
 * The variants ending in _WITH add metadata, an array of troupe_metadata or TROUPE_NO_METADATA, and the lifetime.
 *
 *     static const troupe_metadata metadata[] = {{"unit", "m"}};
 *     TROUPE_FACTORY_WITH(metadata, "2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10", "area", tags, double, area, ...)
 *     TROUPE_CONTRACT_FACTORY_WITH(TROUPE_SINGLETON, TROUPE_NO_METADATA, "32921d82-82f7-461e-b6b8-8b086d6393f2", ...)
 */
#define TROUPE_FACTORY(uuid, name, ...) TROUPE_FACTORY_WITH(TROUPE_NO_METADATA, uuid, name, __VA_ARGS__)
#define TROUPE_FACTORY_WITH(metadata, uuid, name, ...)                                                                \
  TROUPE_FACTORY_CHECKED_(TROUPE_THIRD_(__VA_ARGS__, , , ))                                                           \
  (name, "tags, result, function, (parameters)",                                                                      \
   TROUPE_FACTORY_, (TROUPE_TRANSIENT, metadata, uuid, name, NULL, NULL, NULL, __VA_ARGS__, ""))
#define TROUPE_CONTRACT_FACTORY(uuid, name, ...)                                                                      \
  TROUPE_CONTRACT_FACTORY_WITH(TROUPE_TRANSIENT, TROUPE_NO_METADATA, uuid, name, __VA_ARGS__)
#define TROUPE_CONTRACT_FACTORY_WITH(lifetime, metadata, uuid, name, ...)                                             \
  TROUPE_FACTORY_CHECKED_(TROUPE_SIXTH_(__VA_ARGS__, , , , , , ))                                                     \
  (name, "tags, contract, vtable, destroy, result, function, (parameters)",                                           \
   TROUPE_CONTRACT_FACTORY_, (lifetime, metadata, uuid, name, __VA_ARGS__, ""))
#define TROUPE_NO_TAGS (NULL, 0)
#define TROUPE_NO_METADATA (NULL, 0)

/* A parameter or a result with a mark is a tuple: its text, the text behind the parameters, whether its type is known, and its
 * declaration in C. One without a mark is a C declaration, which never begins with a parenthesis. */
#define TROUPE_OUT(parameter) TROUPE_MARKED_("out ", parameter, , 1)
#define TROUPE_INOUT(parameter) TROUPE_MARKED_("inout ", parameter, , 1)
#define TROUPE_OWNED(release, parameter) TROUPE_MARKED_("owned(" #release ") ", parameter, , sizeof(&(release)) > 0)
#define TROUPE_ERRNO(result) TROUPE_MARKED_("", result, " errno", 1)
#define TROUPE_ERRNO_ANY(result) TROUPE_MARKED_("", result, " errno(any)", 1)
#define TROUPE_BUFFER(type, name, length)                                                                             \
  (TROUPE_TEXT_(type) " " #name "[" TROUPE_STRINGIFY(length) "]", , TROUPE_IS_KNOWN_(type), type *name)
#define TROUPE_RESULT_BUFFER(type, length) (TROUPE_TEXT_(type) "[" #length "]", , TROUPE_IS_KNOWN_(type), type *)
#define TROUPE_POINTER(type, name) ("pointer " #name, , 1, type *name)
#define TROUPE_RESOLVER ("resolver", , 1, const troupe_resolver *)
#define TROUPE_VARIADIC ("...", , 1, ...)
#define TROUPE_VARIADIC_OF(...) ("..., " TROUPE_TEXTS_(__VA_ARGS__), , TROUPE_ARE_KNOWN_(__VA_ARGS__), ...)

/* A definition is such a tuple, too; TROUPE_DEFINE checks its members. */
#define TROUPE_DEFINE(definition) TROUPE_C_(definition)
#define TROUPE_STRUCT(name, ...)                                                                                      \
  ("struct " #name " { " TROUPE_MEMBER_TEXTS_(__VA_ARGS__) "}; ", , 1, struct name { TROUPE_MEMBERS_(__VA_ARGS__) })
#define TROUPE_PACKED_STRUCT(name, ...)                                                                               \
  ("struct " #name " { " TROUPE_MEMBER_TEXTS_(__VA_ARGS__) "} packed; ", , 1,                                         \
   struct __attribute__((packed)) name { TROUPE_MEMBERS_(__VA_ARGS__) })
#define TROUPE_UNION(name, ...)                                                                                       \
  ("union " #name " { " TROUPE_MEMBER_TEXTS_(__VA_ARGS__) "}; ", , 1, union name { TROUPE_MEMBERS_(__VA_ARGS__) })
#define TROUPE_ENUM(name, ...) ("enum " #name " { " TROUPE_TEXTS_(__VA_ARGS__) " }; ", , 1, enum name { __VA_ARGS__ })

/* The macros below are internal and may change in any version. */

/* The text, after the checks. Behind the parameters follow definitions and, for a list that is never empty, "". */
#define TROUPE_SIGNATURE_(result, function, name, parameters, ...)                                                    \
  TROUPE_CHECKED_TEXT_(                                                                                               \
    TROUPE_CHECK_KNOWN_(result)                                                                                       \
    TROUPE_MAP_(TROUPE_CHECK_KNOWN_, TROUPE_NOTHING_, TROUPE_LIST_ parameters)                                        \
    TROUPE_STATIC_ASSERT_(TROUPE_IS_FUNCTION_(function, TROUPE_C_(result), (TROUPE_CS_ parameters)),                  \
                          name " is not a function of the type " TROUPE_TYPE_TEXT_(result, parameters));,             \
    TROUPE_MAP_(TROUPE_DEFINITION_TEXT_, TROUPE_NOTHING_, __VA_ARGS__)                                                \
    TROUPE_TYPE_TEXT_(result, parameters) TROUPE_SUFFIX_(result))
#define TROUPE_TYPE_TEXT_(result, parameters) TROUPE_TEXT_(result) " (" TROUPE_TEXTS_ parameters ")"

/* The expression `text`, after the declarations `checks`, which C allows in a struct and C++ in a function. */
#if defined(__cplusplus)
#define TROUPE_CHECKED_TEXT_(checks, text) ([]() -> const char * { checks return text; }())
#define TROUPE_STATIC_ASSERT_(condition, message) static_assert(condition, message)
#define TROUPE_IS_FUNCTION_(function, result, parameters) troupe_pointer<result (*) parameters>::points_to(&function)
/* Whether a pointer of this type can point to a function, including noexcept functions and overloads. */
template <typename Pointer> struct troupe_pointer {
  static constexpr bool points_to(Pointer) { return true; }
  static constexpr bool points_to(...) { return false; }
};
#else
#define TROUPE_CHECKED_TEXT_(checks, text) (&(text)[0 * sizeof(struct { checks char member; })])
#define TROUPE_STATIC_ASSERT_(condition, message) _Static_assert(condition, message)
/* A function without a prototype, f(), fits every type; a function that also takes a troupe_function ** has none. */
#define TROUPE_IS_FUNCTION_(function, result, parameters)                                                             \
  (_Generic(&function, result (*) parameters: 1, default: 0) &&                                                       \
   _Generic(&function, result (*)(troupe_function **): 0, default: 1))
#endif

/* The tuple of a mark on `x`, which may have marks itself. */
#define TROUPE_MARKED_(prefix, x, suffix, condition)                                                                  \
  (prefix TROUPE_TEXT_(x), TROUPE_SUFFIX_(x) suffix, TROUPE_IS_KNOWN_(x) && (condition), TROUPE_C_(x))

/* 1 if `x` is a tuple, 0 if not: only in front of a tuple does the probe expand to a list with a comma. */
#define TROUPE_IS_TUPLE_(x) TROUPE_SECOND_(TROUPE_PROBE_ x, 0, ~)
#define TROUPE_PROBE_(...) ~, 1

/* The parts of `x`, whether it is a tuple or not. */
#define TROUPE_TEXT_(x) TROUPE_PASTE_(TROUPE_TEXT_, TROUPE_IS_TUPLE_(x))(x)
#define TROUPE_TEXT_0(x) #x
#define TROUPE_TEXT_1(x) TROUPE_TEXT_OF_ x
#define TROUPE_TEXT_OF_(text, suffix, known, ...) text
#define TROUPE_SUFFIX_(x) TROUPE_PASTE_(TROUPE_SUFFIX_, TROUPE_IS_TUPLE_(x))(x)
#define TROUPE_SUFFIX_0(x)
#define TROUPE_SUFFIX_1(x) TROUPE_SUFFIX_OF_ x
#define TROUPE_SUFFIX_OF_(text, suffix, known, ...) suffix
#define TROUPE_IS_KNOWN_(x) TROUPE_PASTE_(TROUPE_IS_KNOWN_, TROUPE_IS_TUPLE_(x))(x)
#define TROUPE_IS_KNOWN_1(x) TROUPE_KNOWN_OF_ x
#define TROUPE_KNOWN_OF_(text, suffix, known, ...) known
#define TROUPE_C_(x) TROUPE_PASTE_(TROUPE_C_, TROUPE_IS_TUPLE_(x))(x)
#define TROUPE_C_0(x) x
#define TROUPE_C_1(x) TROUPE_C_OF_ x
#define TROUPE_C_OF_(text, suffix, known, ...) __VA_ARGS__

/* The same for lists, of parameters and of members. An argument that is no definition stays unchanged, a syntax error. */
#define TROUPE_TEXTS_(...) TROUPE_MAP_(TROUPE_TEXT_, TROUPE_COMMA_TEXT_, __VA_ARGS__)
#define TROUPE_CS_(...) TROUPE_MAP_(TROUPE_C_, TROUPE_COMMA_, __VA_ARGS__)
#define TROUPE_ARE_KNOWN_(...) (TROUPE_MAP_(TROUPE_IS_KNOWN_, TROUPE_AND_, __VA_ARGS__))
#define TROUPE_MEMBER_TEXTS_(...) TROUPE_MAP_(TROUPE_MEMBER_TEXT_, TROUPE_NOTHING_, __VA_ARGS__)
#define TROUPE_MEMBER_TEXT_(x) #x "; "
#define TROUPE_MEMBERS_(...) TROUPE_MAP_(TROUPE_MEMBER_, TROUPE_NOTHING_, __VA_ARGS__)
#define TROUPE_MEMBER_(x) TROUPE_CHECK_KNOWN_(x) x;
#define TROUPE_DEFINITION_TEXT_(x) TROUPE_PASTE_(TROUPE_DEFINITION_TEXT_, TROUPE_IS_TUPLE_(x))(x)
#define TROUPE_DEFINITION_TEXT_0(x) x
#define TROUPE_DEFINITION_TEXT_1(x) TROUPE_TEXT_OF_ x

/* 1 if the first word of `x`, or the second behind const, begins a type of the grammar: pasted behind TROUPE_WORD_, it is a macro
 * that expands to a list with a comma. */
#define TROUPE_IS_KNOWN_0(x) TROUPE_PASTE_(TROUPE_IS_KNOWN_WORD_, TROUPE_SECOND_(TROUPE_FIRST_WORD_##x, 0, ~))(x)
#define TROUPE_IS_KNOWN_WORD_0(x) TROUPE_SECOND_(TROUPE_WORD_##x, 0, ~)
#define TROUPE_IS_KNOWN_WORD_1(x) TROUPE_IS_KNOWN_WORD_(TROUPE_BEHIND_##x)
#define TROUPE_IS_KNOWN_WORD_(x) TROUPE_IS_KNOWN_WORD_0(x)
#define TROUPE_FIRST_WORD_const ~, 1,
#define TROUPE_BEHIND_const
#define TROUPE_WORD_void ~, 1,
#define TROUPE_WORD_bool ~, 1,
#define TROUPE_WORD__Bool ~, 1,
#define TROUPE_WORD_char ~, 1,
#define TROUPE_WORD_signed ~, 1,
#define TROUPE_WORD_unsigned ~, 1,
#define TROUPE_WORD_short ~, 1,
#define TROUPE_WORD_int ~, 1,
#define TROUPE_WORD_long ~, 1,
#define TROUPE_WORD_float ~, 1,
#define TROUPE_WORD_double ~, 1,
#define TROUPE_WORD_struct ~, 1,
#define TROUPE_WORD_union ~, 1,
#define TROUPE_WORD_enum ~, 1,
#define TROUPE_WORD_int8_t ~, 1,
#define TROUPE_WORD_int16_t ~, 1,
#define TROUPE_WORD_int32_t ~, 1,
#define TROUPE_WORD_int64_t ~, 1,
#define TROUPE_WORD_uint8_t ~, 1,
#define TROUPE_WORD_uint16_t ~, 1,
#define TROUPE_WORD_uint32_t ~, 1,
#define TROUPE_WORD_uint64_t ~, 1,
#define TROUPE_WORD_size_t ~, 1,
#define TROUPE_WORD_ssize_t ~, 1,
#define TROUPE_WORD_ptrdiff_t ~, 1,
#define TROUPE_WORD_intptr_t ~, 1,
#define TROUPE_WORD_uintptr_t ~, 1,
#define TROUPE_WORD_intmax_t ~, 1,
#define TROUPE_WORD_uintmax_t ~, 1,
#define TROUPE_WORD_wchar_t ~, 1,
#define TROUPE_WORD_wint_t ~, 1,
#define TROUPE_WORD_char16_t ~, 1,
#define TROUPE_WORD_char32_t ~, 1,
#define TROUPE_CHECK_KNOWN_(x)                                                                                        \
  TROUPE_STATIC_ASSERT_(TROUPE_IS_KNOWN_(x), "not a type that a signature knows: " TROUPE_TEXT_(x)                    \
                                             " (write the type that a typedef names, and (void) for no parameters)");

/* The initializer of a factory. If an argument is missing, the tuple of parameters is in the place of the function's name;
 * the initializer is then a static assertion alone. */
#define TROUPE_FACTORY_CHECKED_(x) TROUPE_PASTE_(TROUPE_FACTORY_CHECKED_, TROUPE_IS_TUPLE_(x))
#define TROUPE_FACTORY_CHECKED_0(name, form, macro, arguments) macro arguments
#define TROUPE_FACTORY_CHECKED_1(name, form, macro, arguments)                                                        \
  {0, 0, TROUPE_CHECKED_TEXT_(                                                                                        \
     TROUPE_STATIC_ASSERT_(0, "the factory " #name " lacks an argument: behind the name write " form                  \
                              ", with TROUPE_NO_TAGS for tags if there are none");, ""),                              \
   NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0}
#define TROUPE_CONTRACT_FACTORY_(lifetime, metadata, uuid, name, tags, contract, vtable, destroy, ...)                \
  TROUPE_FACTORY_(lifetime, metadata, uuid, name, contract, vtable, destroy, tags, __VA_ARGS__)
#define TROUPE_FACTORY_(lifetime, metadata, uuid, name, contract, vtable, destroy, tags, result, function, ...)       \
  {sizeof(troupe_factory), lifetime, uuid, name, contract,                                                            \
   TROUPE_CHECKED_TEXT_(TROUPE_CHECK_UUID_(uuid, #name)                                                               \
                        TROUPE_CHECK_ARRAY_(tags, const char *, "the tags of the factory " #name                      \
                                            " are not an array of strings; declare static const char *const tags[] "  \
                                            "= {...} and pass it, or pass TROUPE_NO_TAGS")                            \
                        TROUPE_CHECK_ARRAY_(metadata, troupe_metadata, "the metadata of the factory " #name           \
                                            " are not an array; declare static const troupe_metadata metadata[] "     \
                                            "= {...} and pass it, or pass TROUPE_NO_METADATA"),                       \
                        TROUPE_SIGNATURE_(result, function, #function, __VA_ARGS__)),                                 \
   TROUPE_FUNCTION(function), destroy, vtable, TROUPE_ARRAY_(tags, const char *),                                      \
   TROUPE_ARRAY_(metadata, troupe_metadata), TROUPE_ARRAY_COUNT_(tags, const char *),                                 \
   TROUPE_ARRAY_COUNT_(metadata, troupe_metadata)}

#define TROUPE_CHECK_UUID_(uuid, name)                                                                                \
  TROUPE_STATIC_ASSERT_(TROUPE_IS_UUID_(uuid), "the UUID of the factory " name                                        \
                        " is malformed; write 36 characters as in 2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10, which "       \
                        "uuidgen prints");
#if defined(__cplusplus)
constexpr bool troupe_is_hexadecimal(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr bool troupe_is_uuid_from(const char (&text)[37], size_t i) {
  return i == 36 || ((i == 8 || i == 13 || i == 18 || i == 23 ? text[i] == '-' : troupe_is_hexadecimal(text[i])) &&
                     troupe_is_uuid_from(text, i + 1));
}
constexpr bool troupe_is_uuid(const char (&text)[37]) { return troupe_is_uuid_from(text, 0); }
template <size_t size> constexpr bool troupe_is_uuid(const char (&)[size]) { return false; }
/* Only literals are checked. */
template <typename Text> constexpr bool troupe_is_uuid(const Text &) { return true; }
#define TROUPE_IS_UUID_(uuid) troupe_is_uuid(uuid)
#else
/* A text that is not a literal is not checked. GCC folds strspn, Clang folds subscripts; neither folds both. */
#define TROUPE_IS_UUID_(u)                                                                                            \
  __builtin_choose_expr(__builtin_types_compatible_p(__typeof__(u), char[]), sizeof(u) == 37 && TROUPE_IS_UUID_TEXT_(u), 1)
#define TROUPE_FOLDED_(condition) (__builtin_constant_p(condition) ? (condition) : 1)
#if defined(__clang__)
#define TROUPE_IS_UUID_TEXT_(u)                                                                                       \
  TROUPE_ARE_HEX_(u, 0) && TROUPE_ARE_HEX_(u, 4) && TROUPE_IS_DASH_(u, 8) && TROUPE_ARE_HEX_(u, 9) &&                 \
  TROUPE_IS_DASH_(u, 13) && TROUPE_ARE_HEX_(u, 14) && TROUPE_IS_DASH_(u, 18) && TROUPE_ARE_HEX_(u, 19) &&             \
  TROUPE_IS_DASH_(u, 23) && TROUPE_ARE_HEX_(u, 24) && TROUPE_ARE_HEX_(u, 28) && TROUPE_ARE_HEX_(u, 32)
#define TROUPE_ARE_HEX_(u, i)                                                                                         \
  TROUPE_IS_HEX_((u)[i]) && TROUPE_IS_HEX_((u)[i + 1]) && TROUPE_IS_HEX_((u)[i + 2]) && TROUPE_IS_HEX_((u)[i + 3])
#define TROUPE_IS_HEX_(c)                                                                                             \
  TROUPE_FOLDED_((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
#define TROUPE_IS_DASH_(u, i) TROUPE_FOLDED_((u)[i] == '-')
#else
#define TROUPE_IS_UUID_TEXT_(u)                                                                                       \
  TROUPE_FOLDED_(__builtin_strspn(u, "0123456789abcdefABCDEF-") == 36 && TROUPE_HEX_COUNT_(u, 0) == 8 &&              \
                 TROUPE_HEX_COUNT_(u, 9) == 4 && TROUPE_HEX_COUNT_(u, 14) == 4 && TROUPE_HEX_COUNT_(u, 19) == 4 &&    \
                 TROUPE_HEX_COUNT_(u, 24) == 12)
#define TROUPE_HEX_COUNT_(u, i) __builtin_strspn((u) + (sizeof(u) == 37 ? i : 0), "0123456789abcdefABCDEF")
#endif
#endif

/* An array of `type`, its address and its number of elements, or (NULL, 0) for none. NULL may be in parentheses, too: a tuple
 * has two elements. */
#define TROUPE_ARRAY_KIND_(x) TROUPE_PASTE_(TROUPE_ARRAY_KIND_, TROUPE_IS_TUPLE_(x))(x)
#define TROUPE_ARRAY_KIND_0(x) 1
#define TROUPE_ARRAY_KIND_1(x) TROUPE_COUNT_ x
#define TROUPE_CHECK_ARRAY_(x, type, message) TROUPE_PASTE_(TROUPE_CHECK_ARRAY_, TROUPE_ARRAY_KIND_(x))(x, type, message)
#define TROUPE_CHECK_ARRAY_1(x, type, message) TROUPE_STATIC_ASSERT_(TROUPE_IS_ARRAY_(x, type), message);
#define TROUPE_CHECK_ARRAY_2(x, type, message)
#define TROUPE_ARRAY_(x, type) TROUPE_PASTE_(TROUPE_ARRAY_, TROUPE_ARRAY_KIND_(x))(x, type)
#define TROUPE_ARRAY_2(x, type) NULL
#define TROUPE_ARRAY_COUNT_(x, type) TROUPE_PASTE_(TROUPE_ARRAY_COUNT_, TROUPE_ARRAY_KIND_(x))(x, type)
#define TROUPE_ARRAY_COUNT_1(x, type) (sizeof(x) / sizeof(type))
#define TROUPE_ARRAY_COUNT_2(x, type) 0
#if defined(__cplusplus)
template <typename Element, typename Pointer> struct troupe_array {
  template <size_t size> static constexpr Pointer address(Element (&elements)[size]) { return elements; }
  static constexpr Pointer address(...) { return nullptr; }
  template <size_t size> static char (&check(Element (&)[size]))[2];
  static char (&check(...))[1];
};
#define TROUPE_IS_ARRAY_(x, type) (sizeof(troupe_array<type const, type const *>::check(x)) == 2)
#define TROUPE_ARRAY_1(x, type) troupe_array<type const, type const *>::address(x)
#else
#define TROUPE_IS_ARRAY_(x, type)                                                                                     \
  (__builtin_types_compatible_p(__typeof__(x), type const[]) || __builtin_types_compatible_p(__typeof__(x), type[]))
#define TROUPE_ARRAY_1(x, type) ((type const *)(x))
#endif

/* A text as an element of a JSON array, and the separator. */
#define TROUPE_QUOTED_(x) "\"" x "\""
#define TROUPE_JSON_COMMA_() ","
#define TROUPE_AS_IT_IS_(x) x

#define TROUPE_PASTE_(a, b) TROUPE_PASTED_(a, b)
#define TROUPE_PASTED_(a, b) a##b
#define TROUPE_SECOND_(...) TROUPE_SECOND_OF_(__VA_ARGS__)
#define TROUPE_SECOND_OF_(first, second, ...) second
#define TROUPE_THIRD_(first, second, third, ...) third
#define TROUPE_SIXTH_(first, second, third, fourth, fifth, sixth, ...) sixth
#define TROUPE_LIST_(...) __VA_ARGS__
#define TROUPE_COMMA_() ,
#define TROUPE_COMMA_TEXT_() ", "
#define TROUPE_AND_() &&
#define TROUPE_NOTHING_()

/* m(x) for each of up to 24 arguments x, with s() between two. */
#define TROUPE_MAP_(m, s, ...) TROUPE_PASTE_(TROUPE_MAP_, TROUPE_COUNT_(__VA_ARGS__))(m, s, __VA_ARGS__)
#define TROUPE_MAP_1(m, s, x) m(x)
#define TROUPE_MAP_2(m, s, x, ...) m(x) s() TROUPE_MAP_1(m, s, __VA_ARGS__)
#define TROUPE_MAP_3(m, s, x, ...) m(x) s() TROUPE_MAP_2(m, s, __VA_ARGS__)
#define TROUPE_MAP_4(m, s, x, ...) m(x) s() TROUPE_MAP_3(m, s, __VA_ARGS__)
#define TROUPE_MAP_5(m, s, x, ...) m(x) s() TROUPE_MAP_4(m, s, __VA_ARGS__)
#define TROUPE_MAP_6(m, s, x, ...) m(x) s() TROUPE_MAP_5(m, s, __VA_ARGS__)
#define TROUPE_MAP_7(m, s, x, ...) m(x) s() TROUPE_MAP_6(m, s, __VA_ARGS__)
#define TROUPE_MAP_8(m, s, x, ...) m(x) s() TROUPE_MAP_7(m, s, __VA_ARGS__)
#define TROUPE_MAP_9(m, s, x, ...) m(x) s() TROUPE_MAP_8(m, s, __VA_ARGS__)
#define TROUPE_MAP_10(m, s, x, ...) m(x) s() TROUPE_MAP_9(m, s, __VA_ARGS__)
#define TROUPE_MAP_11(m, s, x, ...) m(x) s() TROUPE_MAP_10(m, s, __VA_ARGS__)
#define TROUPE_MAP_12(m, s, x, ...) m(x) s() TROUPE_MAP_11(m, s, __VA_ARGS__)
#define TROUPE_MAP_13(m, s, x, ...) m(x) s() TROUPE_MAP_12(m, s, __VA_ARGS__)
#define TROUPE_MAP_14(m, s, x, ...) m(x) s() TROUPE_MAP_13(m, s, __VA_ARGS__)
#define TROUPE_MAP_15(m, s, x, ...) m(x) s() TROUPE_MAP_14(m, s, __VA_ARGS__)
#define TROUPE_MAP_16(m, s, x, ...) m(x) s() TROUPE_MAP_15(m, s, __VA_ARGS__)
#define TROUPE_MAP_17(m, s, x, ...) m(x) s() TROUPE_MAP_16(m, s, __VA_ARGS__)
#define TROUPE_MAP_18(m, s, x, ...) m(x) s() TROUPE_MAP_17(m, s, __VA_ARGS__)
#define TROUPE_MAP_19(m, s, x, ...) m(x) s() TROUPE_MAP_18(m, s, __VA_ARGS__)
#define TROUPE_MAP_20(m, s, x, ...) m(x) s() TROUPE_MAP_19(m, s, __VA_ARGS__)
#define TROUPE_MAP_21(m, s, x, ...) m(x) s() TROUPE_MAP_20(m, s, __VA_ARGS__)
#define TROUPE_MAP_22(m, s, x, ...) m(x) s() TROUPE_MAP_21(m, s, __VA_ARGS__)
#define TROUPE_MAP_23(m, s, x, ...) m(x) s() TROUPE_MAP_22(m, s, __VA_ARGS__)
#define TROUPE_MAP_24(m, s, x, ...) m(x) s() TROUPE_MAP_23(m, s, __VA_ARGS__)
#define TROUPE_COUNT_(...)                                                                                            \
  TROUPE_COUNTED_(__VA_ARGS__, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, ~)
#define TROUPE_COUNTED_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12,                                            \
                        a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, count, ...)                       \
  count

#endif /* TROUPE_H */

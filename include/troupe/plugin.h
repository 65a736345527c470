/*
 * troupe/plugin.h - the factories, the entry and the manifest of a plugin, and the registrar of the host. Include <troupe.h>, which
 * includes this header.
 */
#ifndef TROUPE_PLUGIN_H
#define TROUPE_PLUGIN_H

#include "types.h"

TROUPE_BEGIN_

/* ---------------------------------------------------------------------------------------------------------------- */
/* Provided by the plugin                                                                                           */
/* ---------------------------------------------------------------------------------------------------------------- */

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
 *     signature   = { declaration } result "(" [ "void" | parameters ] ")" [ failure ]
 *     declaration = ( definition | ( "struct" | "union" ) tag | "typedef" type name ) ";"
 *     result      = { marker } type [ "[" [ length ] "]" ]
 *     parameters  = parameter { "," parameter } [ "," "..." { "," parameter } ]
 *     parameter   = { marker } type [ name ] [ "[" [ length ] [ "," length ] "]" { "[" number "]" } ]
 *                 | { marker } type "(" "*" { "*" } [ name ] ")" ( "(" [ "void" | parameters ] ")" | "[" [ length ] "]" )
 *     marker      = "out" | "inout" | "owned" "(" function ")" | "borrows" "(" name { "," name } ")" | "consumed" | "kept"
 *     length      = product { "+" product } [ "bytes" ]
 *     product     = factor { "*" factor }
 *     factor      = a number, the name of an integer parameter or member, or "result"
 *     failure     = "errno" [ "(" ( "any" | "result" ) ")" ]
 *                 | "error" "(" condition [ "except" number { "," number } ] [ ":" function [ "(" [ name ] ")" ] ] ")"
 *     condition   = "null" | "zero" | "nonzero" | "negative"
 *     type        = base { "*" }, with "const", "volatile", "restrict" and "_Nonnull" wherever C allows them
 *     base        = "void" | "bool" | "_Bool" | "float" | "double" | "long double", the last three also with "_Complex"
 *                 | "string" | "pointer" | "resolver" | definition | ( "struct" | "union" | "enum" ) tag | a typedef's name
 *                 | "char" | "signed char" | "unsigned char" | "short" | "int" | "long" | "long long", and the last four
 *                   with "signed" or "unsigned" before and "int" behind, as in C
 *                 | "int8_t" ... "int64_t" | "uint8_t" ... "uint64_t" | "size_t" | "ssize_t" | "ptrdiff_t" | "intptr_t"
 *                 | "uintptr_t" | "intmax_t" | "uintmax_t" | "wchar_t" | "wint_t" | "char16_t" | "char32_t"
 *     definition  = ( "struct" | "union" ) [ tag ] "{" { members ";" } "}" [ "packed" ]
 *                 | "enum" [ tag ] [ ":" integer type ] "{" name [ "=" number ] { "," name [ "=" number ] } "}"
 *     members     = as in C, arrays and callbacks among them, without bit-fields; "T (*name)[length]" is a pointer to elements
 *
 * The host shows a signature in C's own spelling: "string" as "const char *", "pointer" as "void *". A struct, union or
 * enum is defined once; elsewhere its tag is enough. A pointer to a struct, defined or not, is a reference to one object, which keeps its
 * address: "owned(function)" releases the object once, "borrows(name)" keeps the reference of that parameter, "consumed" marks a
 * parameter whose object the function releases, "kept" one that the library uses after the call. NULL is a value of every pointer unless
 * "_Nonnull" stands behind the star. For a pointer to a defined struct, the caller may give the members.
 *
 * "string" is a C string; "const char *" is the same. As an argument it is borrowed for the call. As a result the plugin owns
 * it, and it stays valid until the host has copied it, before the next call; it may be NULL. "owned(free)" marks a result, or
 * the value of an "out" parameter, that the host frees with that function after the copy. The host looks the function up in the
 * plugin's library and in the libraries that it is linked with. For "int *", "void *" and every other pointer without a length the
 * caller gives memory, which the function must not use after the call unless it is "kept".
 * "resolver" is a `const troupe_resolver *` that the host passes itself; the caller gives no argument for it. A factory
 * gets the resolver of the scope in which its instance is resolved, valid for as long as the instance; after the end of the
 * scope it resolves no more. A plain function gets the registrar's resolver.
 *
 * "out" and "inout" parameters point to memory of the host, valid for the call. The host returns their values with the result,
 * under the parameters' names. "const T x[count]" is a pointer to `count` elements that the function reads, "T x[count]" to
 * elements that it reads and writes, "out T x[count]" to space for `count` elements; `count` is another parameter, which the
 * host fills in, or a sum of products such as "rows * columns", which the host checks. "void x[count]" is counted in bytes, and so is
 * "[count bytes]". If `count` is "inout", the function stores the number of written elements there. In "out T x[room, used]", `used`
 * counts the elements that the function has written, and may contain "result"; "out T x[result], size_t room" is short for
 * "[room, result]". A zero element ends "x[]". Behind a result, "[count]" is the number of elements that it points to.
 *
 * With "errno", a result of -1, NULL or false for which the function has set errno is an error with the system's text;
 * with "errno(any)" it is an error whenever errno is set; with "errno(result)" a result other than 0 is the error number. With
 * "error", a result that meets the condition is an error, with the text that the function behind the colon returns for the result or
 * for the parameter in its parentheses.
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
  /* The vectorized body: computes `function` for many rows, and is called with NULL as the last argument, on any thread. Only for a
   * function whose parameters and result are numbers or booleans, without "errno" and "error". NULL for none. Since 1.1. */
  troupe_loop TROUPE_NULLABLE map;
} troupe_factory;

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
 * contracts that this plugin offers. TROUPE_PLUGIN_DESCRIPTION is one line for users of at most 1024 bytes, without
 * quotes, backslashes and control characters. The host loads a plugin at the first resolve of one of its factories; TROUPE_EAGER makes
 * it load the plugin at the start, for plugins that work without being resolved.
 *
 *     TROUPE_PLUGIN_WITH("org.example.chart", "Chart", "1.0.0",
 *                        TROUPE_PLUGIN_DESCRIPTION("Draws line charts of measured values."),
 *                        TROUPE_REQUIRES("org.example.geometry ^1.2.0", "org.example.clock/1"),
 *                        TROUPE_PROVIDES("org.example.chart/1"))
 */
#define TROUPE_PLUGIN_WITH(id, name, version, ...)                                                                    \
  TROUPE_MANIFEST("{\"id\":\"" id "\",\"name\":\"" name "\",\"version\":\"" version "\",\"language\":\"" TROUPE_LANGUAGE \
                  "\",\"abi\":\"" TROUPE_ABI_TEXT "\"" TROUPE_MAP_(TROUPE_AS_IT_IS_, TROUPE_NOTHING_, __VA_ARGS__) "}")
#define TROUPE_PLUGIN_DESCRIPTION(text) ",\"description\":\"" text "\""
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

TROUPE_END_

/* The macros below are internal and may change in any version. */

/* A text as an element of a JSON array, and the separator. */
#define TROUPE_QUOTED_(x) "\"" x "\""
#define TROUPE_JSON_COMMA_() ","
#define TROUPE_AS_IT_IS_(x) x

#endif /* TROUPE_PLUGIN_H */

/*
 * troupe/signature.h - macros that write signatures and factories from the types of C. Include <troupe.h>, which includes this header.
 */
#ifndef TROUPE_SIGNATURE_H
#define TROUPE_SIGNATURE_H

#include "plugin.h"

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
 * The types are those of the grammar at troupe_factory. The name of a typedef of your own is refused; write the type that it
 * names, which is the same type to C. Inside a callback's parameters the host finds such a name when the plugin registers.
 */
#define TROUPE_SIGNATURE(result, function, ...) TROUPE_SIGNATURE_(result, function, #function, __VA_ARGS__, "")

/*
 * Initializers for a troupe_factory. `uuid` and `name` are string literals. `tags` is an array of strings, or TROUPE_NO_TAGS.
 * The rest is as for TROUPE_SIGNATURE, definitions included. The compiler reports a malformed UUID, missing tags, tags
 * that are not an array, and parameters without parentheses.
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
 * TROUPE_MAP_FACTORY initializes a plain function with a vectorized body, which the host calls once for many rows of columns instead of
 * the function. Both compute the same. The strides may be any; a compiler makes vector instructions of a loop for neighboring rows. Since
 * 1.1.
 *
 *     static void area_map(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data) {
 *       (void)data;
 *       if (steps[0] == sizeof(double) && steps[1] == sizeof(double) && steps[2] == sizeof(double)) {
 *         const double *width = (const double *)args[0], *height = (const double *)args[1];
 *         double *result = (double *)args[2];
 *         for (intptr_t row = 0; row < dimensions[0]; row++) result[row] = width[row] * height[row];
 *         return;
 *       }
 *       for (intptr_t row = 0; row < dimensions[0]; row++)
 *         *(double *)(args[2] + row * steps[2]) = area(*(double *)(args[0] + row * steps[0]), *(double *)(args[1] + row * steps[1]));
 *     }
 *     static const troupe_factory area_factory = TROUPE_MAP_FACTORY(
 *       "2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10", "area", tags, area_map, double, area, (double width, double height));
 *
 * The variants ending in _WITH add metadata, an array of troupe_metadata or TROUPE_NO_METADATA, and the lifetime.
 *
 * A function that has the same effect if it is called twice has TROUPE_IDEMPOTENT in its metadata: if its worker ends in a call, the host
 * then calls it once more.
 *
 *     static const troupe_metadata metadata[] = {{"unit", "m"}, TROUPE_IDEMPOTENT};
 *     TROUPE_FACTORY_WITH(metadata, "2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10", "area", tags, double, area, ...)
 *     TROUPE_CONTRACT_FACTORY_WITH(TROUPE_SINGLETON, TROUPE_NO_METADATA, "32921d82-82f7-461e-b6b8-8b086d6393f2", ...)
 *
 * TROUPE_DESCRIPTION, TROUPE_PARAMETER and TROUPE_EXAMPLE document a function for its users, in `troupe inspect`, `troupe call NAME --help`,
 * `troupe catalog` and type stubs for Python. The first sentence of the description is its summary. The arguments of an example are the
 * elements of a JSON array, its result is JSON. For a transform, the arguments are the input text and then the arguments of the factory;
 * the result is the output text. `troupe catalog --check` runs the examples.
 *
 *     static const troupe_metadata area_metadata[] = {
 *       TROUPE_DESCRIPTION("Returns the area of a rectangle."),
 *       TROUPE_PARAMETER("width", "The width, in any unit."),
 *       TROUPE_PARAMETER("height", "The height, in the same unit."),
 *       TROUPE_EXAMPLE("3, 4.5", "13.5")};
 */
#define TROUPE_IDEMPOTENT {"troupe.idempotent", "true"}
#define TROUPE_DESCRIPTION(text) {"description", text}
#define TROUPE_PARAMETER(name, text) {"parameter." name, text}
#define TROUPE_EXAMPLE(arguments, result) {"example(" arguments ")", result}
#define TROUPE_FACTORY(uuid, name, ...) TROUPE_FACTORY_WITH(TROUPE_NO_METADATA, uuid, name, __VA_ARGS__)
#define TROUPE_FACTORY_WITH(metadata, uuid, name, ...)                                                                \
  TROUPE_FACTORY_CHECKED_(TROUPE_THIRD_(__VA_ARGS__, , , ), TROUPE_FOURTH_(__VA_ARGS__, , , , ))                      \
  (name, "tags, result, function, (parameters)", "; for a contract use TROUPE_CONTRACT_FACTORY",                      \
   TROUPE_FACTORY_, (TROUPE_TRANSIENT, metadata, uuid, name, NULL, NULL, NULL, __VA_ARGS__, ""))
#define TROUPE_CONTRACT_FACTORY(uuid, name, ...)                                                                      \
  TROUPE_CONTRACT_FACTORY_WITH(TROUPE_TRANSIENT, TROUPE_NO_METADATA, uuid, name, __VA_ARGS__)
#define TROUPE_CONTRACT_FACTORY_WITH(lifetime, metadata, uuid, name, ...)                                             \
  TROUPE_FACTORY_CHECKED_(TROUPE_SIXTH_(__VA_ARGS__, , , , , , ), TROUPE_SEVENTH_(__VA_ARGS__, , , , , , , ))         \
  (name, "tags, contract, vtable, destroy, result, function, (parameters)", "",                                       \
   TROUPE_CONTRACT_FACTORY_, (lifetime, metadata, uuid, name, __VA_ARGS__, ""))
#define TROUPE_MAP_FACTORY(uuid, name, ...) TROUPE_MAP_FACTORY_WITH(TROUPE_NO_METADATA, uuid, name, __VA_ARGS__)
#define TROUPE_MAP_FACTORY_WITH(metadata, uuid, name, ...)                                                            \
  TROUPE_FACTORY_CHECKED_(TROUPE_FOURTH_(__VA_ARGS__, , , , , ), TROUPE_FIFTH_(__VA_ARGS__, , , , , , ))              \
  (name, "tags, map, result, function, (parameters)", "",                                                             \
   TROUPE_MAP_FACTORY_, (metadata, uuid, name, __VA_ARGS__, ""))
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
/* points_to is true if a pointer of this type can point to a function, including noexcept functions and overloads. */
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

/* The initializer of a factory. If an argument is missing, the tuple of parameters is in the place of the function's name. In that
 * case, and if the parameters are no tuple, the initializer is a static assertion alone. */
#define TROUPE_FACTORY_CHECKED_(function, parameters)                                                                 \
  TROUPE_PASTE_(TROUPE_FACTORY_CHECKED_, TROUPE_PASTE_(TROUPE_IS_TUPLE_(function), TROUPE_IS_TUPLE_(parameters)))
#define TROUPE_FACTORY_CHECKED_01(name, form, hint, macro, arguments) macro arguments
#define TROUPE_FACTORY_CHECKED_00(name, form, hint, macro, arguments)                                                 \
  TROUPE_FACTORY_FAULT_("the parameters of the factory " #name " are not in parentheses: behind the name write " form hint)
#define TROUPE_FACTORY_CHECKED_10(name, form, hint, macro, arguments)                                                 \
  TROUPE_FACTORY_FAULT_("the factory " #name " lacks an argument: behind the name write " form                        \
                        ", with TROUPE_NO_TAGS for tags if there are none")
#define TROUPE_FACTORY_CHECKED_11(name, form, hint, macro, arguments)                                                 \
  TROUPE_FACTORY_CHECKED_10(name, form, hint, macro, arguments)
#define TROUPE_FACTORY_FAULT_(message)                                                                                \
  {0, 0, TROUPE_CHECKED_TEXT_(TROUPE_STATIC_ASSERT_(0, message);, ""),                                                \
   NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL}
#define TROUPE_CONTRACT_FACTORY_(lifetime, metadata, uuid, name, tags, contract, vtable, destroy, ...)                \
  TROUPE_FACTORY_(lifetime, metadata, uuid, name, contract, vtable, destroy, tags, __VA_ARGS__)
#define TROUPE_MAP_FACTORY_(metadata, uuid, name, tags, map, ...)                                                     \
  TROUPE_FACTORY_MEMBERS_(                                                                                            \
    map,                                                                                                              \
    TROUPE_STATIC_ASSERT_(TROUPE_IS_FUNCTION_(map, void, (char **, const intptr_t *, const intptr_t *, void *)),      \
                          #map " is not a function of the type void (char **, const intptr_t *, const intptr_t *, "   \
                          "void *), which troupe_loop names");,                                                       \
    TROUPE_TRANSIENT, metadata, uuid, name, NULL, NULL, NULL, tags, __VA_ARGS__)
#define TROUPE_FACTORY_(...) TROUPE_FACTORY_MEMBERS_(NULL, , __VA_ARGS__)
/* `check` is a declaration for TROUPE_CHECKED_TEXT_, or nothing. */
#define TROUPE_FACTORY_MEMBERS_(map, check, lifetime, metadata, uuid, name, contract, vtable, destroy, tags, result,  \
                                function, ...)                                                                        \
  {sizeof(troupe_factory), lifetime, uuid, name, contract,                                                            \
   TROUPE_CHECKED_TEXT_(check TROUPE_CHECK_UUID_(uuid, #name)                                                         \
                        TROUPE_CHECK_ARRAY_(tags, const char *, "the tags of the factory " #name                      \
                                            " are not an array of strings; declare static const char *const tags[] "  \
                                            "= {...} and pass it, or pass TROUPE_NO_TAGS")                            \
                        TROUPE_CHECK_ARRAY_(metadata, troupe_metadata, "the metadata of the factory " #name           \
                                            " are not an array; declare static const troupe_metadata metadata[] "     \
                                            "= {...} and pass it, or pass TROUPE_NO_METADATA"),                       \
                        TROUPE_SIGNATURE_(result, function, #function, __VA_ARGS__)),                                 \
   TROUPE_FUNCTION(function), destroy, vtable, TROUPE_ARRAY_(tags, const char *),                                      \
   TROUPE_ARRAY_(metadata, troupe_metadata), TROUPE_ARRAY_COUNT_(tags, const char *),                                 \
   TROUPE_ARRAY_COUNT_(metadata, troupe_metadata), map}

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

#endif /* TROUPE_SIGNATURE_H */

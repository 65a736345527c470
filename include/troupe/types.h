/*
 * troupe/types.h - the version, the statuses and the common types of the ABI. Include <troupe.h>, which includes this header.
 */
#ifndef TROUPE_TYPES_H
#define TROUPE_TYPES_H

#include <stddef.h>
#include <stdint.h>

#define TROUPE_ABI_MAJOR 1
#define TROUPE_ABI_MINOR 2

#if defined(__cplusplus)
#define TROUPE_EXTERN_C extern "C"
#else
#define TROUPE_EXTERN_C extern
#endif

/* Exports the entry, the one function that a plugin exports, under -fvisibility=hidden too. */
#define TROUPE_EXPORT TROUPE_EXTERN_C __attribute__((visibility("default")))

#if defined(__clang__)
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

/* Surround the declarations of a header: they have C linkage, and their pointers are not NULL unless they are marked. */
#if defined(__cplusplus)
#define TROUPE_LINKAGE_BEGIN_ extern "C" {
#define TROUPE_LINKAGE_END_ }
#else
#define TROUPE_LINKAGE_BEGIN_
#define TROUPE_LINKAGE_END_
#endif
#if defined(__clang__)
#define TROUPE_BEGIN_                                                                                                 \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wnullability-extension\"")                    \
  _Pragma("clang assume_nonnull begin") TROUPE_LINKAGE_BEGIN_
#define TROUPE_END_ TROUPE_LINKAGE_END_ _Pragma("clang assume_nonnull end") _Pragma("clang diagnostic pop")
#else
#define TROUPE_BEGIN_ TROUPE_LINKAGE_BEGIN_
#define TROUPE_END_ TROUPE_LINKAGE_END_
#endif

TROUPE_BEGIN_

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

/* A loop over rows in the form of NumPy's ufuncs: `args` are the addresses of the inputs and then of the output, `dimensions[0]` is the
 * number of rows, `steps` are the strides in bytes, from one row to the next. */
typedef void (*troupe_loop)(char *TROUPE_NONNULL *TROUPE_NONNULL args, const intptr_t *dimensions, const intptr_t *steps,
                            void *TROUPE_NULLABLE data);

/* One entry of a factory's metadata. The keys description, parameter.NAME and example(ARGUMENTS) document the factory for its users. */
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

TROUPE_END_

/* The macros below are internal and may change in any version. */

#define TROUPE_PASTE_(a, b) TROUPE_PASTED_(a, b)
#define TROUPE_PASTED_(a, b) a##b
#define TROUPE_SECOND_(...) TROUPE_SECOND_OF_(__VA_ARGS__)
#define TROUPE_SECOND_OF_(first, second, ...) second
#define TROUPE_THIRD_(first, second, third, ...) third
#define TROUPE_FOURTH_(first, second, third, fourth, ...) fourth
#define TROUPE_FIFTH_(first, second, third, fourth, fifth, ...) fifth
#define TROUPE_SIXTH_(first, second, third, fourth, fifth, sixth, ...) sixth
#define TROUPE_SEVENTH_(first, second, third, fourth, fifth, sixth, seventh, ...) seventh
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

#endif /* TROUPE_TYPES_H */

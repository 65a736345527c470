/*
 * libffi for Swift.
 *
 * Everything of libffi that Swift can use by itself comes straight from <ffi.h>. What it cannot use is wrapped here.
 */
#ifndef TROUPE_CFFI_SHIM_H
#define TROUPE_CFFI_SHIM_H

#include <ffi.h>

/*
 * The descriptions of the scalar types. libffi declares them as mutable globals, which Swift 6 refuses to touch because any
 * thread could write to them; libffi itself only reads them, so handing out their addresses is safe. They live as long as
 * the process.
 */

/* Swift cannot take the address of the mutable global ffi_type_void. */
static inline ffi_type *troupe_ffi_void(void) { return &ffi_type_void; }

/* Swift cannot take the address of the mutable global ffi_type_uint8. */
static inline ffi_type *troupe_ffi_uint8(void) { return &ffi_type_uint8; }

/* Swift cannot take the address of the mutable global ffi_type_sint8. */
static inline ffi_type *troupe_ffi_sint8(void) { return &ffi_type_sint8; }

/* Swift cannot take the address of the mutable global ffi_type_uint16. */
static inline ffi_type *troupe_ffi_uint16(void) { return &ffi_type_uint16; }

/* Swift cannot take the address of the mutable global ffi_type_sint16. */
static inline ffi_type *troupe_ffi_sint16(void) { return &ffi_type_sint16; }

/* Swift cannot take the address of the mutable global ffi_type_uint32. */
static inline ffi_type *troupe_ffi_uint32(void) { return &ffi_type_uint32; }

/* Swift cannot take the address of the mutable global ffi_type_sint32. */
static inline ffi_type *troupe_ffi_sint32(void) { return &ffi_type_sint32; }

/* Swift cannot take the address of the mutable global ffi_type_uint64. */
static inline ffi_type *troupe_ffi_uint64(void) { return &ffi_type_uint64; }

/* Swift cannot take the address of the mutable global ffi_type_sint64. */
static inline ffi_type *troupe_ffi_sint64(void) { return &ffi_type_sint64; }

/* Swift cannot take the address of the mutable global ffi_type_float. */
static inline ffi_type *troupe_ffi_float(void) { return &ffi_type_float; }

/* Swift cannot take the address of the mutable global ffi_type_double. */
static inline ffi_type *troupe_ffi_double(void) { return &ffi_type_double; }

/* Swift cannot take the address of the mutable global ffi_type_pointer. */
static inline ffi_type *troupe_ffi_pointer(void) { return &ffi_type_pointer; }

/* Swift cannot take the address of the mutable global ffi_type_longdouble. */
static inline ffi_type *troupe_ffi_longdouble(void) { return &ffi_type_longdouble; }

/* Swift cannot take the address of the mutable global ffi_type_complex_float. */
static inline ffi_type *troupe_ffi_complex_float(void) { return &ffi_type_complex_float; }

/* Swift cannot take the address of the mutable global ffi_type_complex_double. */
static inline ffi_type *troupe_ffi_complex_double(void) { return &ffi_type_complex_double; }

/* Swift cannot take the address of the mutable global ffi_type_complex_longdouble. */
static inline ffi_type *troupe_ffi_complex_longdouble(void) { return &ffi_type_complex_longdouble; }

#endif /* TROUPE_CFFI_SHIM_H */

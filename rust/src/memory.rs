use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::ptr;

use crate::{Type, TypeKind};

/// A type whose values C and Rust represent alike: the numbers, `bool`, and [`CStruct`]s.
///
/// # Safety
///
/// A C type with `KIND`, and for structs `NAME`, has the layout of the Rust type, and each of its values is a valid Rust value.
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// The kind of the C type.
    const KIND: TypeKind;
    /// The C type in messages; for a struct its name in signatures.
    const NAME: &'static str;
}

/// A struct that signatures describe, such as `struct point { double x, y; }`. Implement it for your `#[repr(C)]` struct; it is then
/// an [`Element`], an argument and a result.
///
/// ```
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Quotient {
///     quot: i32,
///     rem: i32,
/// }
///
/// // SAFETY: `struct div` of the C library has these members.
/// unsafe impl troupe::CStruct for Quotient {
///     const NAME: &'static str = "struct div";
/// }
/// # let plugins = concat!(env!("CARGO_MANIFEST_DIR"), "/../.build/plugins");
/// # let host = unsafe { troupe::Host::builder().directory(plugins).start()? };
///
/// let div = host.function::<(i32, i32), Quotient>("div")?;
/// assert_eq!(div.call(47, 10).rem, 7);
/// # Ok::<(), troupe::Error>(())
/// ```
///
/// # Safety
///
/// A C struct with this name has the members of the Rust struct, in its order and with its types, and each value of it is a
/// valid Rust value.
pub unsafe trait CStruct: Copy + Send + Sync + 'static {
    /// The name in signatures, such as `struct point`.
    const NAME: &'static str;
}

// SAFETY: promised by the implementation of CStruct.
unsafe impl<T: CStruct> Element for T {
    const KIND: TypeKind = TypeKind::Struct;
    const NAME: &'static str = T::NAME;
}

macro_rules! elements {
    ($($type:ty, $kind:ident, $name:literal;)*) => {$(
        // SAFETY: the kind is that of the C type with the same layout and values.
        unsafe impl Element for $type {
            const KIND: TypeKind = TypeKind::$kind;
            const NAME: &'static str = $name;
        }
    )*};
}

elements! {
    bool, Bool, "bool";
    i8, Int8, "int8_t";
    i16, Int16, "int16_t";
    i32, Int32, "int32_t";
    i64, Int64, "int64_t";
    u8, UInt8, "uint8_t";
    u16, UInt16, "uint16_t";
    u32, UInt32, "uint32_t";
    u64, UInt64, "uint64_t";
    f32, Float, "float";
    f64, Double, "double";
}

#[cfg(target_pointer_width = "64")]
elements! {
    isize, Int64, "ptrdiff_t";
    usize, UInt64, "size_t";
}

/// Returns `true` if values of a C type are values of a Rust type.
pub(crate) fn has_layout_of<T: Element>(type_: Type<'_>) -> bool {
    let type_ = type_.underlying();
    type_.kind() == T::KIND
        && type_.size() == mem::size_of::<T>()
        && (type_.kind() != TypeKind::Struct || type_.name() == T::NAME)
}

/// Returns `true` if a buffer of a C type may be memory of a Rust type: the same type, or single bytes.
pub(crate) fn fits_buffer(kind: TypeKind, name: &str, size: usize, element: Type<'_>) -> bool {
    let element = element.underlying();
    let is_byte = |kind| matches!(kind, TypeKind::Int8 | TypeKind::UInt8);
    match element.kind() {
        TypeKind::Void => is_byte(kind),
        TypeKind::Struct => kind == TypeKind::Struct && name == element.name() && size == element.size(),
        other => other == kind || (is_byte(other) && is_byte(kind)),
    }
}

/// Elements as C stores them: a slice that the program lends to a call, or a copy of a result.
///
/// A call passes the memory itself to the function, without a copy.
pub struct Memory<'a> {
    /// NULL for a copy.
    data: *mut c_void,
    count: usize,
    kind: TypeKind,
    name: &'static str,
    element_size: usize,
    is_mutable: bool,
    /// The memory of a copy; 16 bytes are the greatest alignment of a C type.
    owned: Option<Box<[u128]>>,
    lifetime: PhantomData<&'a mut [u8]>,
}

// SAFETY: the memory is a borrowed slice of elements that are Send and Sync, or owned. It is not Sync: a call may write into it.
unsafe impl Send for Memory<'_> {}

impl<'a> Memory<'a> {
    /// Lends elements that a function reads.
    pub fn new<T: Element>(elements: &'a [T]) -> Memory<'a> {
        Memory::borrowed::<T>(elements.as_ptr().cast_mut().cast(), elements.len(), false)
    }

    /// Lends elements that a function reads and writes.
    pub fn new_mut<T: Element>(elements: &'a mut [T]) -> Memory<'a> {
        Memory::borrowed::<T>(elements.as_mut_ptr().cast(), elements.len(), true)
    }

    fn borrowed<T: Element>(data: *mut c_void, count: usize, is_mutable: bool) -> Memory<'a> {
        let (kind, name, element_size) = (T::KIND, T::NAME, mem::size_of::<T>());
        Memory { data, count, kind, name, element_size, is_mutable, owned: None, lifetime: PhantomData }
    }

    /// Copies elements of the library.
    ///
    /// # Safety
    ///
    /// `data` points to `count` elements of the type.
    pub(crate) unsafe fn copy(data: *const c_void, count: usize, element: Type<'_>) -> Memory<'static> {
        let element = element.underlying();
        let (kind, element_size) = match element.kind() {
            TypeKind::Void => (TypeKind::UInt8, 1),
            kind => (kind, element.size()),
        };
        let size = count * element_size;
        let mut owned = vec![0u128; size.div_ceil(mem::size_of::<u128>())].into_boxed_slice();
        if size > 0 {
            // SAFETY: the caller promises the source; the copy has at least as many bytes.
            unsafe { ptr::copy_nonoverlapping(data.cast::<u8>(), owned.as_mut_ptr().cast(), size) };
        }
        let (data, owned) = (ptr::null_mut(), Some(owned));
        Memory { data, count, kind, name: "", element_size, is_mutable: false, owned, lifetime: PhantomData }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns `true` if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the kind of the elements.
    pub fn kind(&self) -> TypeKind {
        self.kind
    }

    /// Returns the elements; `None` if they have another type, or were lent with [`new_mut`](Memory::new_mut), since a call may write
    /// them. Bytes are also signed bytes.
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        let is_byte = |kind| matches!(kind, TypeKind::Int8 | TypeKind::UInt8);
        let is_same = T::KIND == self.kind && T::KIND != TypeKind::Struct || is_byte(T::KIND) && is_byte(self.kind);
        if !is_same || mem::size_of::<T>() != self.element_size || self.is_mutable {
            return None;
        }
        // SAFETY: there are as many elements, of this type and aligned for it, and no call writes them.
        Some(unsafe { std::slice::from_raw_parts(self.data().cast(), self.count) })
    }

    /// Returns the bytes of all elements, such as a `long double`; `None` for structs, which may have padding, and for memory that was
    /// lent with [`new_mut`](Memory::new_mut).
    pub fn as_bytes(&self) -> Option<&[u8]> {
        // SAFETY: each byte of the elements has a value, and no call writes them.
        (self.kind != TypeKind::Struct && !self.is_mutable)
            .then(|| unsafe { std::slice::from_raw_parts(self.data().cast(), self.count * self.element_size) })
    }

    /// Returns the address of the first element.
    pub(crate) fn data(&self) -> *mut c_void {
        match &self.owned {
            Some(owned) => owned.as_ptr().cast_mut().cast(),
            None => self.data,
        }
    }

    pub(crate) fn is_mutable(&self) -> bool {
        self.is_mutable
    }

    pub(crate) fn fits(&self, element: Type<'_>) -> bool {
        fits_buffer(self.kind, self.name, self.element_size, element)
    }
}

impl fmt::Debug for Memory<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Memory({} × {:?})", self.count, self.kind)
    }
}

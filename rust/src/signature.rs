use std::fmt;

use crate::{sys, text};

/// The type of a function as data, borrowed from the function.
#[derive(Clone, Copy)]
pub struct Signature<'a>(&'a sys::troupe_signature);

impl<'a> Signature<'a> {
    /// Borrows a signature of the library.
    ///
    /// # Safety
    ///
    /// `signature` is valid and unchanged for `'a`.
    pub(crate) unsafe fn new(signature: *const sys::troupe_signature) -> Signature<'a> {
        // SAFETY: promised by the caller.
        Signature(unsafe { &*signature })
    }

    /// Returns the text, such as `double (double width, double height)`.
    pub fn text(self) -> &'a str {
        // SAFETY: the text belongs to the signature.
        unsafe { borrow(self.0.text) }.unwrap_or_default()
    }

    /// Returns `true` if the signature says how to recognize a failure, with `errno` or `error`.
    pub fn can_fail(self) -> bool {
        self.0.can_fail != 0
    }

    /// Returns `true` if further arguments may follow, as in `...`.
    pub fn is_variadic(self) -> bool {
        self.0.is_variadic != 0
    }

    /// Returns the type of the result.
    pub fn result(self) -> Type<'a> {
        // SAFETY: the type belongs to the signature.
        unsafe { Type::new(self.0.result) }
    }

    /// Returns the parameters, those that the call fills in included.
    pub fn parameters(self) -> impl ExactSizeIterator<Item = Parameter<'a>> + Clone {
        // SAFETY: the array and the parameters belong to the signature.
        let parameters = unsafe { text::slice(self.0.parameters, self.0.parameter_count) };
        // SAFETY: as above.
        parameters.iter().map(|&parameter| Parameter(unsafe { &*parameter }))
    }

    pub(crate) fn has_outputs(self) -> bool {
        self.parameters().any(|parameter| parameter.direction() != Direction::In)
    }
}

impl fmt::Display for Signature<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text())
    }
}

impl fmt::Debug for Signature<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Signature").field(&self.text()).finish()
    }
}

/// A parameter.
#[derive(Clone, Copy)]
pub struct Parameter<'a>(&'a sys::troupe_parameter);

impl<'a> Parameter<'a> {
    /// Returns the name, if the author gave one.
    pub fn name(self) -> Option<&'a str> {
        // SAFETY: the name belongs to the parameter.
        unsafe { borrow(self.0.name) }
    }

    /// Returns the type of the value, also of one behind a pointer, or of an element of a buffer.
    pub fn value_type(self) -> Type<'a> {
        // SAFETY: the type belongs to the parameter.
        unsafe { Type::new(self.0.r#type) }
    }

    /// Returns how C passes the value.
    pub fn passing(self) -> Passing {
        match self.0.passing {
            sys::TROUPE_PASSING_REFERENCE => Passing::Reference,
            sys::TROUPE_PASSING_BUFFER => Passing::Buffer,
            _ => Passing::Value,
        }
    }

    /// Returns who writes the value of a reference or the elements of a buffer.
    pub fn direction(self) -> Direction {
        match self.0.direction {
            sys::TROUPE_DIRECTION_OUT => Direction::Out,
            sys::TROUPE_DIRECTION_INOUT => Direction::InOut,
            _ => Direction::In,
        }
    }

    /// Returns `true` if the caller gives an argument for it. A call with values fills in the others: outputs, lengths of buffers, resolvers.
    pub fn takes_argument(self) -> bool {
        self.0.takes_argument != 0
    }

    /// Returns the index of the parameter that is the length of this buffer; `None` for any other length, and for a parameter that is no
    /// buffer.
    pub fn length_parameter(self) -> Option<usize> {
        usize::try_from(self.0.length_parameter).ok()
    }

    /// The parameter in messages, from its name or its index.
    pub(crate) fn described(self, index: usize) -> String {
        match self.name() {
            Some(name) => format!("the parameter {name}"),
            None => format!("the parameter {}", index + 1),
        }
    }
}

impl fmt::Debug for Parameter<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("Parameter");
        debug.field("name", &self.name()).field("type", &self.value_type());
        debug.field("passing", &self.passing()).field("direction", &self.direction()).finish()
    }
}

/// How C passes a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Passing {
    /// The value itself.
    Value,
    /// A pointer to one value.
    Reference,
    /// A pointer to the first of several.
    Buffer,
}

/// Who writes a value behind a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The caller.
    In,
    /// The function.
    Out,
    /// Both.
    InOut,
}

/// A C type as data.
#[derive(Clone, Copy)]
pub struct Type<'a>(&'a sys::troupe_type);

impl<'a> Type<'a> {
    /// Borrows a type of the library.
    ///
    /// # Safety
    ///
    /// `type_` is valid and unchanged for `'a`.
    pub(crate) unsafe fn new(type_: *const sys::troupe_type) -> Type<'a> {
        // SAFETY: promised by the caller.
        Type(unsafe { &*type_ })
    }

    /// Returns the kind.
    pub fn kind(self) -> TypeKind {
        TypeKind::of(self.0.kind)
    }

    /// Returns the type in C's spelling, such as `int32_t` or `struct point`; a struct without its members.
    pub fn name(self) -> &'a str {
        // SAFETY: the name belongs to the type.
        unsafe { borrow(self.0.name) }.unwrap_or_default()
    }

    /// Returns the size in bytes; 0 for void.
    pub fn size(self) -> usize {
        self.0.size
    }

    /// Returns the alignment in bytes.
    pub fn alignment(self) -> usize {
        self.0.alignment
    }

    /// Returns the type of the parts, elements or characters, the integer type of an enumeration, or the type behind a pointer.
    pub fn element(self) -> Option<Type<'a>> {
        // SAFETY: the type belongs to this one.
        (!self.0.element.is_null()).then(|| unsafe { Type::new(self.0.element) })
    }

    /// Returns `true` for a pointer through which the function does not write.
    pub fn is_constant(self) -> bool {
        self.0.is_constant != 0
    }

    /// Returns `true` for a pointer for which a call takes what it leads to.
    pub(crate) fn is_pointer(self) -> bool {
        matches!(self.kind(), TypeKind::Pointer | TypeKind::Reference)
    }

    /// Returns the number of elements of an array, else of members or named values.
    pub fn count(self) -> usize {
        self.0.count
    }

    /// Returns the members of a struct or union: their names, types, and offsets in bytes.
    pub fn members(self) -> impl Iterator<Item = (&'a str, Type<'a>, usize)> {
        // SAFETY: the array belongs to the type.
        let members = unsafe { text::slice(self.0.members, self.0.count) };
        // SAFETY: names and types belong to the members.
        members
            .iter()
            .map(|member| unsafe { (borrow(member.name).unwrap_or_default(), Type::new(member.r#type), member.offset) })
    }

    /// Returns the named values of an enumeration.
    pub fn enumerators(self) -> impl Iterator<Item = (&'a str, i64)> {
        // SAFETY: the array belongs to the type, and the names to its elements.
        let enumerators = unsafe { text::slice(self.0.enumerators, self.0.count) };
        // SAFETY: as above.
        enumerators.iter().map(|enumerator| (unsafe { borrow(enumerator.name) }.unwrap_or_default(), enumerator.value))
    }

    /// Returns the type of the function that a pointer points to.
    pub fn signature(self) -> Option<Signature<'a>> {
        // SAFETY: the signature belongs to the type.
        (!self.0.signature.is_null()).then(|| unsafe { Signature::new(self.0.signature) })
    }

    /// Returns the type of the member or element at a path, also through references; `None` if there is none.
    pub(crate) fn at(self, path: &str) -> Option<Type<'a>> {
        let path = path.replace('[', ".[");
        path.split('.').filter(|step| !step.is_empty()).try_fold(self, |type_, step| match step.starts_with('[') {
            true => type_.element(),
            false => type_.member(step),
        })
    }

    /// Returns the type of a member of a struct, also of one behind a reference.
    pub(crate) fn member(self, name: &str) -> Option<Type<'a>> {
        let structure = if self.kind() == TypeKind::Reference { self.element()? } else { self };
        match structure.kind() {
            TypeKind::Struct | TypeKind::Union => {
                structure.members().find(|(member, ..)| *member == name).map(|(_, type_, _)| type_)
            }
            _ => None,
        }
    }

    /// The type itself; for an enumeration its integer type.
    pub(crate) fn underlying(self) -> Type<'a> {
        match self.kind() {
            TypeKind::Enum => self.element().unwrap_or(self),
            _ => self,
        }
    }
}

impl fmt::Debug for Type<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Type").field(&self.name()).finish()
    }
}

macro_rules! kinds {
    ($($(#[$attribute:meta])* $name:ident = $value:ident,)*) => {
        /// The kind of a C type. Integers are classified by width and sign.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum TypeKind {
            $($(#[$attribute])* $name,)*
            /// A kind of a later version of the library.
            Other,
        }

        impl TypeKind {
            fn of(kind: sys::troupe_type_kind) -> TypeKind {
                match kind {
                    $(sys::$value => TypeKind::$name,)*
                    _ => TypeKind::Other,
                }
            }

            pub(crate) fn raw(self) -> sys::troupe_type_kind {
                match self {
                    $(TypeKind::$name => sys::$value,)*
                    TypeKind::Other => -1,
                }
            }
        }
    };
}

kinds! {
    /// No value.
    Void = TROUPE_TYPE_VOID,
    /// `bool`.
    Bool = TROUPE_TYPE_BOOL,
    /// A signed integer of 8 bits.
    Int8 = TROUPE_TYPE_INT8,
    /// A signed integer of 16 bits.
    Int16 = TROUPE_TYPE_INT16,
    /// A signed integer of 32 bits.
    Int32 = TROUPE_TYPE_INT32,
    /// A signed integer of 64 bits.
    Int64 = TROUPE_TYPE_INT64,
    /// An unsigned integer of 8 bits.
    UInt8 = TROUPE_TYPE_UINT8,
    /// An unsigned integer of 16 bits.
    UInt16 = TROUPE_TYPE_UINT16,
    /// An unsigned integer of 32 bits.
    UInt32 = TROUPE_TYPE_UINT32,
    /// An unsigned integer of 64 bits.
    UInt64 = TROUPE_TYPE_UINT64,
    /// `float`.
    Float = TROUPE_TYPE_FLOAT,
    /// `double`.
    Double = TROUPE_TYPE_DOUBLE,
    /// `long double`.
    LongDouble = TROUPE_TYPE_LONG_DOUBLE,
    /// A complex number.
    Complex = TROUPE_TYPE_COMPLEX,
    /// A C string in UTF-8, which may be NULL.
    String = TROUPE_TYPE_STRING,
    /// A string of wide characters.
    WideString = TROUPE_TYPE_WIDE_STRING,
    /// Any other pointer.
    Pointer = TROUPE_TYPE_POINTER,
    /// A pointer to a struct that only the library knows.
    Handle = TROUPE_TYPE_HANDLE,
    /// A struct.
    Struct = TROUPE_TYPE_STRUCT,
    /// A union.
    Union = TROUPE_TYPE_UNION,
    /// An array within a struct.
    Array = TROUPE_TYPE_ARRAY,
    /// An enumeration.
    Enum = TROUPE_TYPE_ENUM,
    /// A pointer to a function.
    Callback = TROUPE_TYPE_CALLBACK,
    /// A pointer to several elements, as a result or a member.
    Sequence = TROUPE_TYPE_SEQUENCE,
    /// A parameter that the host fills in.
    Resolver = TROUPE_TYPE_RESOLVER,
    /// A pointer to a struct or union, whose members its element has.
    Reference = TROUPE_TYPE_REFERENCE,
}

/// Borrows a C string; `None` for NULL.
///
/// # Safety
///
/// `text` is NULL or a C string in UTF-8 that is valid and unchanged for `'a`.
unsafe fn borrow<'a>(text: *const std::ffi::c_char) -> Option<&'a str> {
    // SAFETY: promised by the caller.
    (!text.is_null()).then(|| unsafe { std::ffi::CStr::from_ptr(text) }.to_str().unwrap_or_default())
}

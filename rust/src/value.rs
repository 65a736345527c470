use std::borrow::Cow;
use std::ffi::{c_void, CString};
use std::fmt;
use std::ptr::NonNull;

use crate::callback::{self, Callback, CallbackContext};
use crate::dynamic::CallResult;
use crate::error::checked;
use crate::{sys, text, Error, Memory, Parameter, Passing, Result, Type, TypeKind};

/// An argument of a call, or its result.
///
/// The library converts an argument to the type of its parameter, and refuses a conversion that would lose information. Numbers,
/// texts and slices convert with `From`. A value stays on its thread, since it may have an [`Object`] of the program.
///
/// | C | argument | result |
/// |---|---|---|
/// | integers, `enum` | `Int`, `UInt`; an enumeration also by its name, as `Text` | `Int`, `UInt` |
/// | `float`, `double` | any number | `Double` |
/// | `const char *` | `Text`, `Null` | `Text`, `Null` |
/// | struct | `Struct`; one as C stores it, as `Memory` | `Struct` |
/// | buffer | `Memory`, `Array`; bytes also as `Text` | `Memory`, `Array` |
/// | callback | `Callback`; beyond the call [`Object::callback`] | `Address` |
/// | pointer to a struct | `Object`, `Borrowed`, `Null`, `Memory`; if it is defined `Struct` | `Object`, `Null` |
/// | other pointer | `Memory`, `Array`, [`Object::memory`], `Pointer`, `Null` | `Address`, `Null` |
/// | outputs | none | `Struct`: the result as `return`, unless it is void, and each output under its parameter's name |
///
/// An `Array` or `Struct` for a pointer that is not constant is memory that the call allocates. Its contents return in a `Struct`, under
/// the parameter's name, with the function's own result as `result`; or alone, if only one thing returns.
#[derive(Default)]
#[non_exhaustive]
pub enum Value<'a> {
    /// Nothing: the result of a `void` function.
    #[default]
    Void,
    /// The null pointer, also a string that is NULL.
    Null,
    /// A truth value.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    UInt(u64),
    /// A floating-point number.
    Double(f64),
    /// A text.
    Text(Cow<'a, str>),
    /// A pointer, for a function that takes one.
    Pointer(Pointer),
    /// A pointer that a function returned. To pass it to a function, make a [`Pointer`] of it.
    Address(Address),
    /// Elements as C stores them.
    Memory(Memory<'a>),
    /// Several values.
    Array(Vec<Value<'a>>),
    /// Members, each with its name.
    Struct(Vec<(String, Value<'a>)>),
    /// A closure that C calls; see [`Value::callback`].
    Callback(&'a Callback<'a>),
    /// A struct that the library has, memory of the program, or a callback that the program keeps.
    Object(Object),
    /// An object that the program keeps, as an argument.
    Borrowed(&'a Object),
}

impl<'a> Value<'a> {
    /// Returns a value for a closure that C calls: it gets a value for each parameter and returns the result. C may call it on any thread
    /// until the call that it was passed to returns. An error of the closure fails that call, and is its error. The result must not be
    /// a text or a buffer, since nothing would free it.
    ///
    /// ```
    /// # let plugins = concat!(env!("CARGO_MANIFEST_DIR"), "/../.build/plugins");
    /// # let host = unsafe { troupe::Host::builder().directory(plugins).start()? };
    /// use troupe::{Memory, Value};
    ///
    /// // The C library's qsort, as the file libc.troupe.json registers it: it passes pointers to the numbers.
    /// let sort = host.dyn_function("qsort")?;
    /// let descending = |pair: &[Value]| {
    ///     // SAFETY: qsort passes the addresses of two elements.
    ///     let [a, b] = [0, 1].map(|index| unsafe { *pair[index].as_ptr().unwrap().cast::<i32>() });
    ///     Ok(Value::from(b.cmp(&a) as i32))
    /// };
    /// let mut numbers = [1, 3, 2];
    /// sort.call(&[Memory::new_mut(&mut numbers).into(), "int32".into(), Value::callback(&descending)])?;
    /// assert_eq!(numbers, [3, 2, 1]);
    /// # Ok::<(), troupe::Error>(())
    /// ```
    pub fn callback<F>(closure: &'a F) -> Value<'a>
    where
        F: Fn(&[Value<'_>]) -> Result<Value<'static>> + Sync + 'a,
    {
        Value::Callback(closure)
    }

    /// Returns the truth value; `None` for any other value.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the integer; `None` if it is none, or does not fit.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Int(value) => Some(*value),
            Value::UInt(value) => i64::try_from(*value).ok(),
            _ => None,
        }
    }

    /// Returns the integer; `None` if it is none, or does not fit.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Value::Int(value) => u64::try_from(*value).ok(),
            Value::UInt(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the floating-point number; `None` for any other value.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Double(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the text; `None` for any other value.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the elements that C stored; `None` for any other value or type of elements.
    pub fn as_slice<T: crate::Element>(&self) -> Option<&[T]> {
        match self {
            Value::Memory(memory) => memory.as_slice(),
            _ => None,
        }
    }

    /// Returns the address of a pointer, NULL included; `None` for any other value.
    pub fn as_ptr(&self) -> Option<*mut c_void> {
        match self {
            Value::Null => Some(std::ptr::null_mut()),
            Value::Pointer(pointer) => Some(pointer.0),
            Value::Address(address) => Some(address.0),
            _ => None,
        }
    }

    /// Returns the values of an array; `None` for any other value.
    pub fn as_array(&self) -> Option<&[Value<'a>]> {
        match self {
            Value::Array(values) => Some(values),
            _ => None,
        }
    }

    /// Returns a number or truth value in C's form, which points to nothing.
    #[inline]
    pub(crate) fn as_number(&self) -> Option<sys::troupe_call_value> {
        use sys::troupe_call_value_as as As;
        let (kind, as_) = match *self {
            Value::Bool(value) => (sys::TROUPE_VALUE_BOOL, As { int64: value.into() }),
            Value::Int(value) => (sys::TROUPE_VALUE_INT64, As { int64: value }),
            Value::UInt(value) => (sys::TROUPE_VALUE_UINT64, As { uint64: value }),
            Value::Double(value) => (sys::TROUPE_VALUE_DOUBLE, As { float64: value }),
            _ => return None,
        };
        Some(sys::troupe_call_value { kind, r#as: as_, ..VOID })
    }

    /// Returns the member of a struct, or the output of a call, with a name.
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        match self {
            Value::Struct(members) => members.iter().find(|(member, _)| member == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Returns the object; the value again if it is none.
    pub fn into_object(self) -> std::result::Result<Object, Value<'a>> {
        match self {
            Value::Object(object) => Ok(object),
            other => Err(other),
        }
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Void => formatter.write_str("Void"),
            Value::Null => formatter.write_str("Null"),
            Value::Bool(value) => value.fmt(formatter),
            Value::Int(value) => value.fmt(formatter),
            Value::UInt(value) => value.fmt(formatter),
            Value::Double(value) => value.fmt(formatter),
            Value::Text(value) => value.fmt(formatter),
            Value::Pointer(pointer) => pointer.fmt(formatter),
            Value::Address(address) => address.fmt(formatter),
            Value::Memory(memory) => memory.fmt(formatter),
            Value::Array(values) => values.fmt(formatter),
            Value::Struct(members) => {
                formatter.debug_map().entries(members.iter().map(|(name, value)| (name, value))).finish()
            }
            Value::Callback(_) => formatter.write_str("Callback"),
            Value::Object(object) => object.fmt(formatter),
            Value::Borrowed(object) => object.fmt(formatter),
        }
    }
}

macro_rules! conversions {
    ($($type:ty => $variant:ident($wide:ty);)*) => {$(
        impl From<$type> for Value<'_> {
            fn from(value: $type) -> Self {
                Value::$variant(value as $wide)
            }
        }
    )*};
}

conversions! {
    i8 => Int(i64);
    i16 => Int(i64);
    i32 => Int(i64);
    i64 => Int(i64);
    isize => Int(i64);
    u8 => UInt(u64);
    u16 => UInt(u64);
    u32 => UInt(u64);
    u64 => UInt(u64);
    usize => UInt(u64);
    f32 => Double(f64);
    f64 => Double(f64);
    bool => Bool(bool);
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::Text(Cow::Owned(text))
    }
}

impl From<()> for Value<'_> {
    fn from(_: ()) -> Self {
        Value::Void
    }
}

impl<'a> From<Memory<'a>> for Value<'a> {
    fn from(memory: Memory<'a>) -> Self {
        Value::Memory(memory)
    }
}

impl<'a, T: crate::Element> From<&'a [T]> for Value<'a> {
    fn from(elements: &'a [T]) -> Self {
        Value::Memory(Memory::new(elements))
    }
}

impl<'a, T: crate::Element> From<&'a mut [T]> for Value<'a> {
    fn from(elements: &'a mut [T]) -> Self {
        Value::Memory(Memory::new_mut(elements))
    }
}

impl<'a> From<&'a Object> for Value<'a> {
    fn from(object: &'a Object) -> Self {
        Value::Borrowed(object)
    }
}

impl From<Pointer> for Value<'_> {
    fn from(pointer: Pointer) -> Self {
        Value::Pointer(pointer)
    }
}

/// A pointer that functions of plugins may follow.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pointer(*mut c_void);

// SAFETY: it is an address; `new` has the conditions for its use.
unsafe impl Send for Pointer {}
// SAFETY: as above.
unsafe impl Sync for Pointer {}

impl Pointer {
    /// Makes a pointer of an address.
    ///
    /// # Safety
    ///
    /// The address is valid for every access of the functions that the pointer is passed to, on their threads.
    pub unsafe fn new<T>(address: *mut T) -> Pointer {
        Pointer(address.cast())
    }

    /// Returns the address.
    pub fn as_ptr(self) -> *mut c_void {
        self.0
    }
}

impl fmt::Debug for Pointer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A pointer that a function of a plugin returned. Whether it may be followed, its documentation says.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Address(*mut c_void);

// SAFETY: it is an address, which only unsafe code follows.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

impl Address {
    /// Returns the address.
    pub fn as_ptr(self) -> *mut c_void {
        self.0
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// What a pointer leads to: a struct in C, memory of a C type, or a function that C calls back.
///
/// A struct keeps its identity through calls and members. If the signature defines it, [`read`](Object::read) reads members where they are.
/// Dropping it calls the library's releasing function, if the signature names one; else the library releases the struct when it likes, as
/// in C.
///
/// ```
/// # fn main() -> troupe::Result<()> {
/// use troupe::Object;
///
/// let mut point = Object::memory("struct point { double x, y; int marks[4]; }", 1)?;
/// point.write("marks[2]", &7.into())?;
/// assert_eq!(point.read("marks[2]")?.as_i64(), Some(7));
/// # Ok(())
/// # }
/// ```
///
/// It is not `Sync`: few libraries allow two functions on one object at once.
pub struct Object(NonNull<sys::troupe_object>);

/// A struct in C that a function returned.
pub type Reference = Object;

// SAFETY: the header tags the functions of an object with [any thread].
unsafe impl Send for Object {}

impl Object {
    /// Allocates memory for `count` elements of a C type, zero at first, for a library that keeps or fills it in several calls. The type is
    /// written as in a signature, with declarations in front of it. Keep the object for as long as C uses the memory.
    ///
    /// Fails with `invalidSignature`, `invalidArgument` (`count` is 0) and `missingResource`.
    pub fn memory(type_: &str, count: usize) -> Result<Object> {
        let type_ = text::c_string(type_)?;
        // SAFETY: the text lives for the call.
        Object::made(unsafe { checked(|error| sys::troupe_memory_new(type_.as_ptr(), count, error)) }?)
    }

    /// Makes a C function of a closure, for a library that keeps the pointer beyond the call. Keep the object for as long as C may call it:
    /// if C calls it afterwards, it gets zero, and the log has a line.
    ///
    /// C may call it on any thread. An error or a panic of the closure gives C zero, and fails the call on the same thread that led to it.
    ///
    /// Fails with `invalidSignature` if no callback can have the type.
    pub fn callback<F>(signature: &str, closure: F) -> Result<Object>
    where
        F: Fn(&[Value<'_>]) -> Result<Value<'static>> + Send + Sync + 'static,
    {
        Object::made(callback::held(&text::c_string(signature)?, Box::new(closure))?)
    }

    fn made(object: *mut sys::troupe_object) -> Result<Object> {
        Ok(Object(NonNull::new(object).expect("the library returned neither an object nor an error")))
    }

    /// Returns the type of what is at the address: a struct, the element of memory, or a callback. A struct that only its library knows has
    /// the kind [`TypeKind::Void`].
    pub fn value_type(&self) -> Type<'_> {
        // SAFETY: the type belongs to the object.
        unsafe { Type::new(sys::troupe_object_type(self.0.as_ptr())) }
    }

    /// Reads a member or an element, such as `next.name` or `[2].x`; all of them for an empty path. A name behind a member that is a pointer to
    /// a struct is a member of that struct.
    ///
    /// Fails with `invalidData` if there is none, and with `unavailable` if the struct has been released.
    pub fn read(&self, path: &str) -> Result<Value<'static>> {
        let c_path = text::c_string(path)?;
        let mut result = VOID;
        // SAFETY: the object is valid, and the path lives for the call.
        unsafe { checked(|error| sys::troupe_object_read(self.0.as_ptr(), c_path.as_ptr(), &mut result, error)) }?;
        let origin = match self.type_at(path) {
            // All elements of memory.
            Some(element) if path.is_empty() && result.kind == sys::TROUPE_VALUE_MEMORY => Origin::Elements(element),
            Some(type_) => Origin::Value(type_),
            None => Origin::Unknown,
        };
        CallResult(result).into_value(origin)
    }

    /// Writes a member or an element; all of them for an empty path. What it then points to, such as a text, lives until another write
    /// replaces it, or until the end of the object.
    ///
    /// Fails as [`read`](Object::read), and with `invalidData` for a value that does not fit, or for a [`Value::Callback`], which ends too
    /// early: write an [`Object::callback`].
    pub fn write(&mut self, path: &str, value: &Value<'_>) -> Result<()> {
        let c_path = text::c_string(path)?;
        let mut lowering = Lowering::default();
        let lowered = lowering.lower(value, None, self.type_at(path))?;
        if !lowering.callbacks.is_empty() {
            return Err(Error::invalid_data(path, "the closure ends before the object", "write an Object::callback"));
        }
        // SAFETY: the object is valid, and the library copies what the value points to.
        unsafe { checked(|error| sys::troupe_object_write(self.0.as_ptr(), c_path.as_ptr(), &lowered, error)) }?;
        Ok(())
    }

    fn type_at(&self, path: &str) -> Option<Type<'_>> {
        // A path into several elements begins with an index.
        let path = if path.starts_with('[') { path.split_once(']').map_or("", |(_, rest)| rest) } else { path };
        self.value_type().at(path)
    }

    /// Returns the address; NULL after the library has released the object.
    pub fn address(&self) -> *mut c_void {
        // SAFETY: the object is valid.
        unsafe { sys::troupe_object_address(self.0.as_ptr()) }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: this is the only release.
        unsafe { sys::troupe_object_free(self.0.as_ptr()) }
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Object({:?})", self.address())
    }
}

pub(crate) const VOID: sys::troupe_call_value = sys::troupe_call_value {
    kind: sys::TROUPE_VALUE_VOID,
    reserved: 0,
    r#as: sys::troupe_call_value_as { uint64: 0 },
    count: 0,
    name: std::ptr::null(),
};

/// Converts values into C's, and owns the memory that these point to.
#[derive(Default)]
pub(crate) struct Lowering<'c> {
    strings: Vec<CString>,
    arrays: Vec<Vec<sys::troupe_call_value>>,
    /// Boxed, since C has their addresses.
    #[allow(clippy::vec_box)]
    pub(crate) callbacks: Vec<Box<CallbackContext<'c>>>,
}

impl<'c> Lowering<'c> {
    /// Returns the value in C's form, valid for as long as `self` and the value.
    ///
    /// `parameter` is the one that takes the value, with its index; `None` for a value within another one, a variadic argument, an
    /// argument of a factory and the result of a callback. `type_` is its type as far as it is known.
    pub(crate) fn lower(
        &mut self,
        value: &'c Value<'c>,
        parameter: Option<(usize, Parameter<'c>)>,
        type_: Option<Type<'c>>,
    ) -> Result<sys::troupe_call_value> {
        use sys::troupe_call_value_as as As;
        let (kind, as_, count) = match value {
            Value::Void => (sys::TROUPE_VALUE_VOID, As { uint64: 0 }, 0),
            Value::Null => (sys::TROUPE_VALUE_POINTER, As { pointer: std::ptr::null_mut() }, 0),
            Value::Bool(_) | Value::Int(_) | Value::UInt(_) | Value::Double(_) => {
                return Ok(value.as_number().unwrap_or(VOID))
            }
            Value::Pointer(pointer) => (sys::TROUPE_VALUE_POINTER, As { pointer: pointer.0 }, 0),
            Value::Object(object) => (sys::TROUPE_VALUE_OBJECT, As { object: object.0.as_ptr() }, 0),
            Value::Borrowed(object) => (sys::TROUPE_VALUE_OBJECT, As { object: object.0.as_ptr() }, 0),
            Value::Text(text) => (sys::TROUPE_VALUE_STRING, As { string: self.string(text)? }, 0),
            Value::Memory(memory) => {
                check_memory(memory, parameter)?;
                (sys::TROUPE_VALUE_MEMORY, As { memory: memory.data() }, memory.len())
            }
            Value::Array(values) => {
                let element = element_type(parameter, type_);
                let values = values.iter().map(|value| self.lower(value, None, element)).collect::<Result<_>>()?;
                let (values, count) = self.array(values);
                (sys::TROUPE_VALUE_ARRAY, As { values }, count)
            }
            Value::Struct(members) => {
                let (values, count) = self.members(members, type_)?;
                (sys::TROUPE_VALUE_STRUCT, As { values }, count)
            }
            Value::Callback(closure) => {
                let signature = type_.and_then(Type::signature);
                let callback = self.callback(CallbackContext::new(closure, signature));
                (sys::TROUPE_VALUE_CALLBACK, As { callback }, 0)
            }
            Value::Address(address) => {
                return Err(Error::invalid_argument(
                    format!("{address:?}"),
                    "a function returned this address, and it may not be valid",
                    "make a Pointer of it with the unsafe function Pointer::new",
                ))
            }
        };
        Ok(sys::troupe_call_value { kind, reserved: 0, r#as: as_, count, name: std::ptr::null() })
    }

    fn string(&mut self, text: &str) -> Result<*const std::ffi::c_char> {
        let string = text::c_string(text)?;
        let pointer = string.as_ptr();
        self.strings.push(string);
        Ok(pointer)
    }

    fn array(&mut self, values: Vec<sys::troupe_call_value>) -> (*const sys::troupe_call_value, usize) {
        let result = (values.as_ptr(), values.len());
        self.arrays.push(values);
        result
    }

    fn members(
        &mut self,
        members: &'c [(String, Value<'c>)],
        type_: Option<Type<'c>>,
    ) -> Result<(*const sys::troupe_call_value, usize)> {
        let mut values = Vec::with_capacity(members.len());
        for (name, value) in members {
            let member = type_.and_then(|type_| type_.member(name));
            let mut lowered = self.lower(value, None, member)?;
            lowered.name = self.string(name)?;
            values.push(lowered);
        }
        Ok(self.array(values))
    }

    fn callback(&mut self, context: CallbackContext<'c>) -> *const sys::troupe_callback {
        self.callbacks.push(Box::new(context));
        // The pointer is taken after the move into the vector: moving a box may invalidate pointers to its content.
        self.callbacks.last_mut().map_or(std::ptr::null(), |context| context.callback())
    }

    /// Returns `true` if `self` owns anything that a value points to.
    pub(crate) fn is_empty(&self) -> bool {
        self.strings.is_empty() && self.arrays.is_empty() && self.callbacks.is_empty()
    }
}

/// Checks that the parameter takes these elements, since the library does not know their type.
fn check_memory(memory: &Memory<'_>, parameter: Option<(usize, Parameter<'_>)>) -> Result<()> {
    let Some((index, parameter)) = parameter else {
        return Err(Error::invalid_data(
            format!("{memory:?}"),
            "memory is only an argument, not a part of one",
            "give an array or a struct",
        ));
    };
    let (type_, subject) = (parameter.value_type(), parameter.described(index));
    let is_value = parameter.passing() != Passing::Buffer;
    let is_pointer = is_value && type_.is_pointer();
    let element = if is_pointer { type_.element().unwrap_or(type_) } else { type_ };
    let is_struct = type_.kind() == TypeKind::Struct;
    if is_value && !is_pointer && !is_struct || !memory.fits(element) {
        let problem = format!("{memory:?} does not fit the type {}", type_.name());
        return Err(Error::invalid_data(subject, problem, "give elements of that type"));
    }
    if is_value && !is_pointer && memory.len() != 1 {
        let problem = format!("it is one {}, not {} of them", element.name(), memory.len());
        return Err(Error::invalid_data(subject, problem, "give a slice of one element"));
    }
    let is_written = if is_pointer { !type_.is_constant() } else { parameter.direction() != crate::Direction::In };
    if is_written && !memory.is_mutable() {
        let problem = "the function writes into the elements";
        return Err(Error::invalid_data(subject, problem, "give a mutable slice, or Memory::new_mut"));
    }
    Ok(())
}

/// Returns the type of the elements of an array that a parameter takes.
fn element_type<'a>(parameter: Option<(usize, Parameter<'a>)>, type_: Option<Type<'a>>) -> Option<Type<'a>> {
    match parameter {
        Some((_, parameter)) if parameter.passing() == Passing::Buffer => type_,
        _ => type_.and_then(Type::element),
    }
}

/// The type of a value that the library made, as far as it is known.
#[derive(Clone, Copy)]
pub(crate) enum Origin<'a> {
    /// The result of a function with outputs.
    Outputs(crate::Signature<'a>),
    /// A value of a type.
    Value(Type<'a>),
    /// A pointer to elements of a type.
    Elements(Type<'a>),
    Unknown,
}

impl<'a> Origin<'a> {
    pub(crate) fn of_parameter(parameter: Parameter<'a>) -> Origin<'a> {
        match parameter.passing() {
            Passing::Buffer => Origin::Elements(parameter.value_type()),
            _ => Origin::Value(parameter.value_type()),
        }
    }

    fn member(self, name: &str) -> Origin<'a> {
        match self {
            Origin::Outputs(signature) if name == "return" || name == "result" => Origin::Value(signature.result()),
            Origin::Outputs(signature) => {
                let parameter = signature.parameters().find(|parameter| parameter.name() == Some(name));
                parameter.map_or(Origin::Unknown, Origin::of_parameter)
            }
            Origin::Value(type_) => type_.member(name).map_or(Origin::Unknown, Origin::Value),
            Origin::Elements(_) | Origin::Unknown => Origin::Unknown,
        }
    }

    fn element(self) -> Origin<'a> {
        self.element_type().map_or(Origin::Unknown, Origin::Value)
    }

    /// Returns the type of the elements of memory.
    fn element_type(self) -> Option<Type<'a>> {
        match self {
            Origin::Elements(type_) => Some(type_),
            Origin::Value(type_) if type_.kind() == TypeKind::LongDouble => Some(type_),
            Origin::Value(type_) => type_.element(),
            Origin::Outputs(_) | Origin::Unknown => None,
        }
    }
}

/// Copies a value of the library.
///
/// # Safety
///
/// `value` is valid, and of this origin.
pub(crate) unsafe fn raise(value: &sys::troupe_call_value, origin: Origin<'_>) -> Result<Value<'static>> {
    // SAFETY: the kind says which member is valid, and its content is valid as long as the value.
    unsafe {
        let as_ = value.r#as;
        Ok(match value.kind {
            sys::TROUPE_VALUE_BOOL => Value::Bool(as_.int64 != 0),
            sys::TROUPE_VALUE_INT64 => Value::Int(as_.int64),
            sys::TROUPE_VALUE_UINT64 => Value::UInt(as_.uint64),
            sys::TROUPE_VALUE_DOUBLE => Value::Double(as_.float64),
            sys::TROUPE_VALUE_STRING if as_.string.is_null() => Value::Null,
            sys::TROUPE_VALUE_STRING => Value::Text(text::string(as_.string).into()),
            sys::TROUPE_VALUE_POINTER if as_.pointer.is_null() => Value::Null,
            sys::TROUPE_VALUE_POINTER => Value::Address(Address(as_.pointer)),
            sys::TROUPE_VALUE_MEMORY => match origin.element_type() {
                Some(element) => Value::Memory(Memory::copy(as_.memory, value.count, element)),
                None => {
                    let problem = "the signature does not say of which type the elements are";
                    return Err(Error::invalid_data("a result in memory", problem, "correct the signature"));
                }
            },
            sys::TROUPE_VALUE_ARRAY => {
                let values = text::slice(as_.values, value.count).iter();
                Value::Array(values.map(|value| raise(value, origin.element())).collect::<Result<_>>()?)
            }
            sys::TROUPE_VALUE_STRUCT => {
                let members = text::slice(as_.values, value.count).iter().map(|member| {
                    let name = text::string(member.name);
                    let value = raise(member, origin.member(&name))?;
                    Ok((name, value))
                });
                Value::Struct(members.collect::<Result<_>>()?)
            }
            // The arguments of a callback: the object belongs to its caller.
            sys::TROUPE_VALUE_OBJECT | sys::TROUPE_VALUE_REFERENCE => match sys::troupe_object_address(as_.object) {
                address if address.is_null() => Value::Null,
                address => Value::Address(Address(address)),
            },
            _ => Value::Void,
        })
    }
}

/// Takes the objects out of a result, in the places where `raise` found addresses of objects.
///
/// # Safety
///
/// `value` is a result of the library that is cleared afterwards, and `raised` its copy.
pub(crate) unsafe fn take_objects(value: *mut sys::troupe_call_value, raised: &mut Value<'static>) {
    // SAFETY: the result belongs to the caller, and with it the memory of its values.
    unsafe {
        match ((*value).kind, raised) {
            (sys::TROUPE_VALUE_OBJECT | sys::TROUPE_VALUE_REFERENCE, raised) => {
                if let Some(object) = NonNull::new((*value).r#as.object) {
                    *raised = Value::Object(Object(object));
                }
                *value = sys::troupe_call_value { name: (*value).name, ..VOID };
            }
            (sys::TROUPE_VALUE_ARRAY, Value::Array(values)) => {
                for (index, raised) in values.iter_mut().enumerate() {
                    take_objects((*value).r#as.values.cast_mut().add(index), raised);
                }
            }
            (sys::TROUPE_VALUE_STRUCT, Value::Struct(members)) => {
                for (index, (_, raised)) in members.iter_mut().enumerate() {
                    take_objects((*value).r#as.values.cast_mut().add(index), raised);
                }
            }
            _ => {}
        }
    }
}

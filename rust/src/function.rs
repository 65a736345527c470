use std::ffi::{c_char, c_void, CStr, CString};
use std::fmt;
use std::marker::PhantomData;

use crate::error::checked;
use crate::memory::{fits_buffer, has_layout_of};
use crate::{sys, Direction, DynFunction, Element, Error, Map, Parameter, Passing, Result, Signature, Type, TypeKind};

/// A C function with parameters and a result of known types. A call is one through a pointer.
///
/// `Args` is a tuple of up to 8 types, `Ret` one type. [`Host::function`](crate::Host::function) compares them with the signature:
///
/// | Rust type | C parameter | `call` takes |
/// |---|---|---|
/// | `i8` … `u64`, `isize`, `usize`, `f32`, `f64`, `bool` | a number of this width and sign, or such an `enum` | the number |
/// | a [`CStruct`](crate::CStruct) | the struct of this name | the struct |
/// | `&CStr`, `Option<&CStr>` | `const char *`, also `string` | the string, for the call |
/// | `&[T]` | `const T x[n], size_t n` | a slice, for both parameters |
/// | `&mut [T]` | `T x[n], size_t n` or `out T x[n], size_t n` | a mutable slice, for both |
/// | [`Counted<&[T], N>`](Counted), `Counted<&mut [T], N>` | the same with a length of the type `N` | a counted slice |
/// | [`In<T>`](In) | a constant pointer to a struct | a reference |
/// | [`Out<T>`](Out) | `out T *x`, `inout T *x` | a mutable reference |
/// | `*const T`, `*mut T` | a pointer to `T`; with `c_void` for `T` any pointer | the pointer, with `call_raw` |
///
/// | Rust type | C result |
/// |---|---|
/// | `()` | `void` |
/// | a number, `bool`, a [`CStruct`](crate::CStruct) | as above |
/// | `Option<CString>` | `const char *` without `owned`, which the call copies |
/// | `*const T`, `*mut T` | a pointer, as it is |
///
/// The lifetime in `&CStr` and `&[T]` has no meaning: each call takes references of any lifetime. In the type of a struct's member,
/// write `&'static`. Any other function is an error. So is one that several threads may not run at once, see
/// [`DynFunction::is_thread_safe`], since a direct call takes no lock, and one that reports failures with `errno` or `error`, which a direct
/// call cannot see, and one with `...`: call it as a [`DynFunction`].
///
/// ```
/// # let plugins = concat!(env!("CARGO_MANIFEST_DIR"), "/../.build/plugins");
/// # let host = unsafe { troupe::Host::builder().directory(plugins).start()? };
/// use std::ffi::{CStr, CString};
/// use troupe::Function;
///
/// let strlen: Function<(&CStr,), usize> = host.function("strlen")?;
/// assert_eq!(strlen.call(&CString::new("five!").unwrap()), 5);
///
/// let error = host.function::<(f32, f32), f64>("area").unwrap_err();
/// assert!(error.message().contains("double (float, float)"));
/// # Ok::<(), troupe::Error>(())
/// ```
pub struct Function<Args, Ret> {
    address: unsafe extern "C" fn(),
    function: DynFunction,
    types: PhantomData<fn(Args) -> Ret>,
}

impl<Args: Arguments, Ret: Return> Function<Args, Ret> {
    /// Compares the types with the signature.
    pub(crate) fn new(function: DynFunction) -> Result<Function<Args, Ret>> {
        let signature = function.signature();
        let fault = |problem: String, remedy: &str| Err(Error::invalid_signature(function.name(), problem, remedy));
        if !fits::<Args, Ret>(signature) {
            let problem = format!("its type is {signature}, not {}", description::<Args, Ret>());
            return fault(problem, "give the Rust types of the function, or call it as a DynFunction");
        }
        if signature.can_fail() {
            let problem = format!("its type is {signature}, whose failures a direct call does not see");
            return fault(problem, "call it as a DynFunction");
        }
        // The library compares spellings: the function's own one fits, whichever of C's names its types have.
        // SAFETY: the text is that of the function itself, and lives for the call.
        let address = unsafe {
            let text = (*sys::troupe_function_signature(function.as_ptr())).text;
            checked(|error| sys::troupe_function_address(function.as_ptr(), text, error))?
        };
        let address = address.expect("troupe_function_address returned neither a function nor an error");
        Ok(Function { address, function, types: PhantomData })
    }
}

impl<Args, Ret> Function<Args, Ret> {
    /// Returns the function for calls with values.
    pub fn as_dyn(&self) -> &DynFunction {
        &self.function
    }

    /// Prepares a call for many rows.
    pub fn map(&self) -> Map<'_> {
        self.function.map()
    }

    /// Returns the registered name.
    pub fn name(&self) -> &str {
        self.function.name()
    }

    /// Returns the type of the function.
    pub fn signature(&self) -> Signature<'_> {
        self.function.signature()
    }
}

impl<Args, Ret> fmt::Debug for Function<Args, Ret> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Function({}: {})", self.name(), self.signature())
    }
}

fn fits<Args: Arguments, Ret: Return>(signature: Signature<'_>) -> bool {
    let mut cursor = Cursor { parameters: signature.parameters().collect(), index: 0 };
    !signature.is_variadic()
        && Ret::matches(signature)
        && Args::matches(&mut cursor)
        && cursor.index == cursor.parameters.len()
}

/// Returns the C function type that Rust types stand for.
fn description<Args: Arguments, Ret: Return>() -> String {
    let mut parameters = Vec::new();
    Args::describe(&mut parameters);
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    format!("{} ({parameters})", Ret::describe())
}

mod sealed {
    pub trait Argument {}
    pub trait Arguments {}
    pub trait Return {}
    pub trait Length {}
}

/// The parameters of a signature, from left to right.
#[doc(hidden)]
pub struct Cursor<'a> {
    parameters: Vec<Parameter<'a>>,
    index: usize,
}

impl<'a> Cursor<'a> {
    fn next(&mut self) -> Option<Parameter<'a>> {
        let parameter = self.parameters.get(self.index).copied();
        self.index += 1;
        parameter
    }

    /// Returns `true` if the next two parameters are a buffer of `T` and its length.
    fn next_is_buffer<T: Element>(&mut self, length: TypeKind, is_mutable: bool) -> bool {
        let (index, Some(buffer), Some(count)) = (self.index, self.next(), self.next()) else {
            return false;
        };
        buffer.passing() == Passing::Buffer
            && (buffer.direction() == Direction::In || is_mutable)
            && fits_buffer(T::KIND, T::NAME, std::mem::size_of::<T>(), buffer.value_type())
            && buffer.length_parameter() == Some(index + 1)
            && count.passing() == Passing::Value
            && count.value_type().kind() == length
    }
}

/// A type of a parameter of a [`Function`], as the table there lists. This crate alone implements it.
pub trait Argument: sealed::Argument {
    /// The argument that `call` takes for it.
    type Passed<'a>;
    /// The values that C gets for it, before others.
    #[doc(hidden)]
    type Onto<Rest>;
    #[doc(hidden)]
    fn onto<Rest>(passed: Self::Passed<'_>, rest: Rest) -> Self::Onto<Rest>;
    /// Returns `true` if the next parameters are of this type.
    #[doc(hidden)]
    fn matches(cursor: &mut Cursor<'_>) -> bool;
    /// Adds the parameters in C.
    #[doc(hidden)]
    fn describe(parameters: &mut Vec<String>);
}

/// A type of a parameter whose arguments are valid by themselves: any [`Argument`] but a raw pointer. This crate alone implements it.
pub trait SafeArgument: Argument {}

/// The value of a parameter, and those behind it.
#[doc(hidden)]
pub struct Link<A, Rest>(A, Rest);

impl<T: Element> sealed::Argument for T {}
impl<T: Element> SafeArgument for T {}
impl<T: Element> Argument for T {
    type Passed<'a> = T;
    type Onto<Rest> = Link<T, Rest>;

    fn onto<Rest>(passed: T, rest: Rest) -> Link<T, Rest> {
        Link(passed, rest)
    }

    fn matches(cursor: &mut Cursor<'_>) -> bool {
        cursor.next().is_some_and(|parameter| {
            parameter.passing() == Passing::Value && has_layout_of::<T>(parameter.value_type())
        })
    }

    fn describe(parameters: &mut Vec<String>) {
        parameters.push(T::NAME.to_owned());
    }
}

fn next_is_string(cursor: &mut Cursor<'_>) -> bool {
    let is_string = |parameter: Parameter| {
        parameter.passing() == Passing::Value && parameter.value_type().kind() == TypeKind::String
    };
    cursor.next().is_some_and(is_string)
}

impl sealed::Argument for &CStr {}
impl SafeArgument for &CStr {}
impl Argument for &CStr {
    type Passed<'a> = &'a CStr;
    type Onto<Rest> = Link<*const c_char, Rest>;

    fn onto<Rest>(passed: &CStr, rest: Rest) -> Self::Onto<Rest> {
        Link(passed.as_ptr(), rest)
    }

    fn matches(cursor: &mut Cursor<'_>) -> bool {
        next_is_string(cursor)
    }

    fn describe(parameters: &mut Vec<String>) {
        parameters.push("const char *".to_owned());
    }
}

impl sealed::Argument for Option<&CStr> {}
impl SafeArgument for Option<&CStr> {}
impl Argument for Option<&CStr> {
    type Passed<'a> = Option<&'a CStr>;
    type Onto<Rest> = Link<*const c_char, Rest>;

    fn onto<Rest>(passed: Option<&CStr>, rest: Rest) -> Self::Onto<Rest> {
        Link(passed.map_or(std::ptr::null(), CStr::as_ptr), rest)
    }

    fn matches(cursor: &mut Cursor<'_>) -> bool {
        next_is_string(cursor)
    }

    fn describe(parameters: &mut Vec<String>) {
        <&CStr>::describe(parameters);
    }
}

fn describe_buffer<T: Element>(prefix: &str, length: &str, parameters: &mut Vec<String>) {
    let number = parameters.len() + 1;
    parameters.push(format!("{prefix}{} x{number}[n{number}]", T::NAME));
    parameters.push(format!("{length} n{number}"));
}

impl<T: Element> sealed::Argument for &[T] {}
impl<T: Element> SafeArgument for &[T] {}
impl<T: Element> Argument for &[T] {
    type Passed<'a> = &'a [T];
    type Onto<Rest> = Link<*const T, Link<usize, Rest>>;

    fn onto<Rest>(passed: &[T], rest: Rest) -> Self::Onto<Rest> {
        Link(passed.as_ptr(), Link(passed.len(), rest))
    }

    fn matches(cursor: &mut Cursor<'_>) -> bool {
        cursor.next_is_buffer::<T>(usize::KIND, false)
    }

    fn describe(parameters: &mut Vec<String>) {
        describe_buffer::<T>("const ", "size_t", parameters);
    }
}

impl<T: Element> sealed::Argument for &mut [T] {}
impl<T: Element> SafeArgument for &mut [T] {}
impl<T: Element> Argument for &mut [T] {
    type Passed<'a> = &'a mut [T];
    type Onto<Rest> = Link<*mut T, Link<usize, Rest>>;

    fn onto<Rest>(passed: &mut [T], rest: Rest) -> Self::Onto<Rest> {
        Link(passed.as_mut_ptr(), Link(passed.len(), rest))
    }

    fn matches(cursor: &mut Cursor<'_>) -> bool {
        cursor.next_is_buffer::<T>(usize::KIND, true)
    }

    fn describe(parameters: &mut Vec<String>) {
        describe_buffer::<T>("", "size_t", parameters);
    }
}

/// A slice whose length fits the type `N`, for buffers whose length is not a `size_t`.
///
/// ```
/// # let plugins = concat!(env!("CARGO_MANIFEST_DIR"), "/../.build/plugins");
/// # let host = unsafe { troupe::Host::builder().directory(plugins).start()? };
/// use troupe::Counted;
///
/// // unsigned long (unsigned long crc, const void bytes[count], unsigned int count)
/// let crc32 = host.function::<(u64, Counted<&[u8], u32>), u64>("zlib_crc32")?;
/// assert_eq!(crc32.call(0, Counted::new(b"123456789")?), 0xCBF43926);
/// # Ok::<(), troupe::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Counted<S, N> {
    slice: S,
    length: N,
}

impl<'a, T, N: Length> Counted<&'a [T], N> {
    /// Fails with `invalidArgument` if the length does not fit.
    pub fn new(slice: &'a [T]) -> Result<Self> {
        Ok(Counted { slice, length: N::of(slice.len())? })
    }
}

impl<'a, T, N: Length> Counted<&'a mut [T], N> {
    /// Fails with `invalidArgument` if the length does not fit.
    pub fn new_mut(slice: &'a mut [T]) -> Result<Self> {
        let length = N::of(slice.len())?;
        Ok(Counted { slice, length })
    }
}

/// A type of lengths: an integer. This crate alone implements it.
pub trait Length: Element + sealed::Length {
    #[doc(hidden)]
    fn of(length: usize) -> Result<Self>;
}

macro_rules! lengths {
    ($($type:ty)*) => {$(
        impl sealed::Length for $type {}
        impl Length for $type {
            fn of(length: usize) -> Result<$type> {
                <$type>::try_from(length).map_err(|_| {
                    let problem = format!("it has more elements than the greatest {}", <$type>::NAME);
                    Error::invalid_argument(format!("a slice of {length} elements"), problem, "pass parts of it")
                })
            }
        }
    )*};
}

lengths! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

impl<T: Element, N: Length> sealed::Argument for Counted<&[T], N> {}
impl<T: Element, N: Length> SafeArgument for Counted<&[T], N> {}
impl<T: Element, N: Length> Argument for Counted<&[T], N> {
    type Passed<'a> = Counted<&'a [T], N>;
    type Onto<Rest> = Link<*const T, Link<N, Rest>>;

    fn onto<Rest>(passed: Counted<&[T], N>, rest: Rest) -> Self::Onto<Rest> {
        Link(passed.slice.as_ptr(), Link(passed.length, rest))
    }

    fn matches(cursor: &mut Cursor<'_>) -> bool {
        cursor.next_is_buffer::<T>(N::KIND, false)
    }

    fn describe(parameters: &mut Vec<String>) {
        describe_buffer::<T>("const ", N::NAME, parameters);
    }
}

impl<T: Element, N: Length> sealed::Argument for Counted<&mut [T], N> {}
impl<T: Element, N: Length> SafeArgument for Counted<&mut [T], N> {}
impl<T: Element, N: Length> Argument for Counted<&mut [T], N> {
    type Passed<'a> = Counted<&'a mut [T], N>;
    type Onto<Rest> = Link<*mut T, Link<N, Rest>>;

    fn onto<Rest>(passed: Counted<&mut [T], N>, rest: Rest) -> Self::Onto<Rest> {
        Link(passed.slice.as_mut_ptr(), Link(passed.length, rest))
    }

    fn matches(cursor: &mut Cursor<'_>) -> bool {
        cursor.next_is_buffer::<T>(N::KIND, true)
    }

    fn describe(parameters: &mut Vec<String>) {
        describe_buffer::<T>("", N::NAME, parameters);
    }
}

/// A parameter that is a constant pointer to a struct. `call` takes a `&T`.
pub struct In<T>(PhantomData<fn(&T)>);

impl<T: Element> sealed::Argument for In<T> {}
impl<T: Element> SafeArgument for In<T> {}
impl<T: Element> Argument for In<T> {
    type Passed<'a> = &'a T;
    type Onto<Rest> = Link<*const T, Rest>;

    fn onto<Rest>(passed: &T, rest: Rest) -> Self::Onto<Rest> {
        Link(passed, rest)
    }

    fn matches(cursor: &mut Cursor<'_>) -> bool {
        let Some(parameter) = cursor.next() else { return false };
        let type_ = parameter.value_type();
        match parameter.passing() {
            Passing::Value => {
                type_.is_pointer() && type_.is_constant() && type_.element().is_some_and(has_layout_of::<T>)
            }
            Passing::Reference => parameter.direction() == Direction::In && has_layout_of::<T>(type_),
            Passing::Buffer => false,
        }
    }

    fn describe(parameters: &mut Vec<String>) {
        parameters.push(format!("const {} *", T::NAME));
    }
}

/// A parameter behind which the function writes a value: `out T *` or `inout T *`. `call` takes a `&mut T`.
///
/// ```no_run
/// # let host = unsafe { troupe::Host::builder().directory("plugins").start()? };
/// // double (double x, out int *exponent)
/// let frexp = host.function::<(f64, troupe::Out<i32>), f64>("frexp")?;
/// let mut exponent = 0;
/// assert_eq!(frexp.call(8.0, &mut exponent), 0.5);
/// assert_eq!(exponent, 4);
/// # Ok::<(), troupe::Error>(())
/// ```
pub struct Out<T>(PhantomData<fn(&T)>);

impl<T: Element> sealed::Argument for Out<T> {}
impl<T: Element> SafeArgument for Out<T> {}
impl<T: Element> Argument for Out<T> {
    type Passed<'a> = &'a mut T;
    type Onto<Rest> = Link<*mut T, Rest>;

    fn onto<Rest>(passed: &mut T, rest: Rest) -> Self::Onto<Rest> {
        Link(passed, rest)
    }

    fn matches(cursor: &mut Cursor<'_>) -> bool {
        let is_out = |parameter: Parameter| {
            parameter.passing() == Passing::Reference
                && parameter.direction() != Direction::In
                && has_layout_of::<T>(parameter.value_type())
        };
        cursor.next().is_some_and(is_out)
    }

    fn describe(parameters: &mut Vec<String>) {
        parameters.push(format!("out {} *", T::NAME));
    }
}

macro_rules! pointers {
    ($([$($bound:tt)*] $pointer:ty, $target:ty, $is_mutable:literal;)*) => {$(
        impl<$($bound)*> sealed::Argument for $pointer {}
        impl<$($bound)*> Argument for $pointer {
            type Passed<'a> = $pointer;
            type Onto<Rest> = Link<$pointer, Rest>;

            fn onto<Rest>(passed: $pointer, rest: Rest) -> Self::Onto<Rest> {
                Link(passed, rest)
            }

            fn matches(cursor: &mut Cursor<'_>) -> bool {
                cursor.next().is_some_and(|parameter| match parameter.passing() {
                    Passing::Value => <$target>::is_behind(parameter.value_type(), $is_mutable),
                    Passing::Reference | Passing::Buffer => {
                        (parameter.direction() == Direction::In || $is_mutable) && <$target>::is(parameter.value_type())
                    }
                })
            }

            fn describe(parameters: &mut Vec<String>) {
                parameters.push(<$target>::pointer($is_mutable));
            }
        }

        impl<$($bound)*> sealed::Return for $pointer {}
        impl<$($bound)*> Return for $pointer {
            type C = $pointer;

            unsafe fn from_c(result: $pointer) -> $pointer {
                result
            }

            fn matches(signature: Signature<'_>) -> bool {
                <$target>::is_behind(signature.result(), $is_mutable)
            }

            fn describe() -> String {
                <$target>::pointer($is_mutable)
            }
        }
    )*};
}

pointers! {
    [T: Element] *const T, To<T>, false;
    [T: Element] *mut T, To<T>, true;
    [] *const c_void, ToAny, false;
    [] *mut c_void, ToAny, true;
}

/// A pointer to values of a type.
struct To<T>(PhantomData<T>);

impl<T: Element> To<T> {
    fn is(type_: Type<'_>) -> bool {
        fits_buffer(T::KIND, T::NAME, std::mem::size_of::<T>(), type_)
    }

    /// Returns `true` if a C type is a pointer to the type.
    fn is_behind(type_: Type<'_>, is_mutable: bool) -> bool {
        match type_.kind() {
            TypeKind::String => matches!(T::KIND, TypeKind::Int8 | TypeKind::UInt8) && !is_mutable,
            TypeKind::Sequence => type_.element().is_some_and(Self::is),
            TypeKind::Pointer | TypeKind::Reference => is_pointer_to::<T>(type_.name(), is_mutable),
            _ => false,
        }
    }

    fn pointer(is_mutable: bool) -> String {
        format!("{}{} *", if is_mutable { "" } else { "const " }, T::NAME)
    }
}

/// A pointer to anything.
struct ToAny;

impl ToAny {
    fn is(_: Type<'_>) -> bool {
        true
    }

    fn is_behind(type_: Type<'_>, is_mutable: bool) -> bool {
        use TypeKind::*;
        match type_.kind() {
            String | WideString => !is_mutable,
            Pointer | Reference => !is_mutable || !type_.is_constant(),
            kind => matches!(kind, Handle | Callback | Sequence),
        }
    }

    fn pointer(is_mutable: bool) -> String {
        if is_mutable { "void *" } else { "const void *" }.to_owned()
    }
}

/// Returns `true` if a spelling such as `const double *` is that of a pointer to `T`. The library does not describe the types behind pointers.
fn is_pointer_to<T: Element>(spelling: &str, is_mutable: bool) -> bool {
    let Some(target) = spelling.strip_suffix('*').map(str::trim_end) else {
        return false;
    };
    let target = match target.strip_prefix("const ") {
        Some(_) if is_mutable => return false,
        Some(target) => target,
        None => target,
    };
    target == T::NAME || kind_of(target) == Some(T::KIND)
}

/// Returns the kind of a number in C's spelling.
fn kind_of(spelling: &str) -> Option<TypeKind> {
    use TypeKind::*;
    Some(match spelling {
        "bool" => Bool,
        "float" => Float,
        "double" => Double,
        "char" if c_char::MIN == 0 => UInt8,
        "char" | "signed char" | "int8_t" => Int8,
        "short" | "int16_t" => Int16,
        "int" | "int32_t" => Int32,
        "long" | "long long" | "int64_t" | "ssize_t" | "ptrdiff_t" | "intptr_t" | "intmax_t" => Int64,
        "unsigned char" | "uint8_t" => UInt8,
        "unsigned short" | "uint16_t" | "char16_t" => UInt16,
        "unsigned int" | "uint32_t" | "char32_t" => UInt32,
        "unsigned long" | "unsigned long long" | "uint64_t" | "size_t" | "uintptr_t" | "uintmax_t" => UInt64,
        _ => return None,
    })
}

/// A type of a result of a [`Function`], as the table there lists. This crate alone implements it.
pub trait Return: sealed::Return {
    /// The result in C.
    #[doc(hidden)]
    type C;
    /// # Safety
    ///
    /// `result` is the result of a function whose signature matches.
    #[doc(hidden)]
    unsafe fn from_c(result: Self::C) -> Self;
    #[doc(hidden)]
    fn matches(signature: Signature<'_>) -> bool;
    #[doc(hidden)]
    fn describe() -> String;
}

impl<T: Element> sealed::Return for T {}
impl<T: Element> Return for T {
    type C = T;

    unsafe fn from_c(result: T) -> T {
        result
    }

    fn matches(signature: Signature<'_>) -> bool {
        has_layout_of::<T>(signature.result())
    }

    fn describe() -> String {
        T::NAME.to_owned()
    }
}

impl sealed::Return for () {}
impl Return for () {
    type C = ();

    unsafe fn from_c(_: ()) {}

    fn matches(signature: Signature<'_>) -> bool {
        signature.result().kind() == TypeKind::Void
    }

    fn describe() -> String {
        "void".to_owned()
    }
}

impl sealed::Return for Option<CString> {}
impl Return for Option<CString> {
    type C = *const c_char;

    unsafe fn from_c(result: *const c_char) -> Self {
        // SAFETY: a string of the plugin, which is valid until its next call.
        (!result.is_null()).then(|| unsafe { CStr::from_ptr(result) }.to_owned())
    }

    fn matches(signature: Signature<'_>) -> bool {
        // The signature as data does not say who frees the result, and the copy must not leak it.
        signature.result().kind() == TypeKind::String && !signature.text().contains("owned(")
    }

    fn describe() -> String {
        "const char *".to_owned()
    }
}

/// A tuple of up to 8 types of parameters. This crate alone implements it.
pub trait Arguments: sealed::Arguments {
    #[doc(hidden)]
    fn matches(cursor: &mut Cursor<'_>) -> bool;
    #[doc(hidden)]
    fn describe(parameters: &mut Vec<String>);
}

/// The values of all parameters, in [`Link`]s.
#[doc(hidden)]
pub trait Values {
    /// # Safety
    ///
    /// `address` is that of a function with such parameters and this result, and takes these values.
    unsafe fn call<R>(self, address: unsafe extern "C" fn()) -> R;
}

macro_rules! links {
    () => { () };
    ($first:ident $($rest:ident)*) => { Link<$first, links!($($rest)*)> };
}

macro_rules! values {
    ($($name:ident)*) => {
        impl<$($name),*> Values for links!($($name)*) {
            #[allow(non_snake_case)]
            #[inline(always)]
            unsafe fn call<R>(self, address: unsafe extern "C" fn()) -> R {
                unlink!(self, $($name)*);
                // SAFETY: the caller promises that this is the type of the function, and that it takes the values.
                unsafe {
                    let function: unsafe extern "C" fn($($name),*) -> R = std::mem::transmute(address);
                    function($($name),*)
                }
            }
        }
    };
}

/// Takes values out of links.
macro_rules! unlink {
    ($link:expr,) => { let () = $link; };
    ($link:expr, $first:ident $($rest:ident)*) => {
        let Link($first, rest) = $link;
        unlink!(rest, $($rest)*);
    };
}

macro_rules! onto {
    () => { () };
    ($first:ident $($rest:ident)*) => { $first::Onto<onto!($($rest)*)> };
}

macro_rules! link {
    () => { () };
    ($first:ident $($rest:ident)*) => { $first::onto($first, link!($($rest)*)) };
}

macro_rules! arguments {
    ($($name:ident)*) => {
        impl<$($name: Argument),*> sealed::Arguments for ($($name,)*) {}
        impl<$($name: Argument),*> Arguments for ($($name,)*) {
            fn matches(_cursor: &mut Cursor<'_>) -> bool {
                true $(&& $name::matches(_cursor))*
            }

            fn describe(_parameters: &mut Vec<String>) {
                $($name::describe(_parameters);)*
            }
        }

        #[allow(non_snake_case, clippy::too_many_arguments)]
        impl<$($name: SafeArgument,)* R: Return> Function<($($name,)*), R>
        where
            onto!($($name)*): Values,
        {
            /// Calls the function.
            #[inline]
            pub fn call(&self, $($name: $name::Passed<'_>),*) -> R {
                // SAFETY: the types fit the signature, which is the function's type as the caller of `start` promised, and there is no
                // raw pointer among them.
                unsafe { self.call_raw($($name),*) }
            }
        }

        #[allow(non_snake_case, clippy::too_many_arguments)]
        impl<$($name: Argument,)* R: Return> Function<($($name,)*), R>
        where
            onto!($($name)*): Values,
        {
            /// Calls the function, also with raw pointers.
            ///
            /// # Safety
            ///
            /// The raw pointers among the arguments are valid for every access of the function.
            #[inline]
            pub unsafe fn call_raw(&self, $($name: $name::Passed<'_>),*) -> R {
                let values: onto!($($name)*) = link!($($name)*);
                // SAFETY: as for `call`; the caller promises the rest.
                unsafe { R::from_c(values.call::<R::C>(self.address)) }
            }
        }
    };
}

values! {}
values! { A }
values! { A B }
values! { A B C }
values! { A B C D }
values! { A B C D E }
values! { A B C D E F }
values! { A B C D E F G }
values! { A B C D E F G H }
values! { A B C D E F G H I }
values! { A B C D E F G H I J }
values! { A B C D E F G H I J K }
values! { A B C D E F G H I J K L }

arguments! {}
arguments! { A }
arguments! { A B }
arguments! { A B C }
arguments! { A B C D }
arguments! { A B C D E }
arguments! { A B C D E F }
arguments! { A B C D E F G }
arguments! { A B C D E F G H }

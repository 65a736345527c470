//! A binding of `troupe.h`, ABI 1.0, with a safe surface.
//!
//! `manifest!` writes the plugin's manifest, `entry!` names the function that registers, and `function!` makes a C
//! function from one in Rust. No panic leaves a function that the host calls: it becomes an error. Unsafe code is in
//! this file alone, and where a plugin defines a contract of its own.

use std::ffi::{c_void, CStr, CString};
use std::marker::PhantomData;
use std::os::raw::{c_char, c_int};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

// ---- The structs of troupe.h. The comments there give the rules. ----

type Status = i32;
const OK: Status = 0;
const FAILED: Status = 1;

#[repr(C)]
struct RawHost {
    struct_size: u32,
    abi_major: u16,
    abi_minor: u16,
    context: *mut c_void,
    log: unsafe extern "C" fn(*const RawHost, i32, *const c_char),
    allocate: unsafe extern "C" fn(*const RawHost, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*const RawHost, *mut c_void),
    configuration: unsafe extern "C" fn(*const RawHost, *const c_char) -> *const c_char,
    service: unsafe extern "C" fn(*const RawHost, *const c_char) -> *const c_void,
    fail: unsafe extern "C" fn(*const RawHost, *const c_char),
    setting: unsafe extern "C" fn(*const RawHost, *const c_char, *mut RawValue) -> Status,
}

#[repr(C)]
#[derive(Clone, Copy)]
union RawPayload {
    int64: i64,
    float64: f64,
    string: *const c_char,
}

#[repr(C)]
struct RawValue {
    kind: i32,
    reserved: i32,
    payload: RawPayload,
}

#[repr(C)]
struct RawMetadata {
    key: *const c_char,
    value: *const c_char,
}

#[repr(C)]
struct RawFactory {
    struct_size: u32,
    lifetime: i32,
    uuid: *const c_char,
    name: *const c_char,
    contract: *const c_char,
    signature: *const c_char,
    function: *const (),
    destroy: Option<unsafe extern "C" fn(*mut c_void)>,
    vtable: *const c_void,
    tags: *const *const c_char,
    metadata: *const RawMetadata,
    tag_count: u32,
    metadata_count: u32,
}

#[repr(C)]
pub struct RawRegistrar {
    struct_size: u32,
    abi_major: u16,
    abi_minor: u16,
    context: *mut c_void,
    host: *mut RawHost,
    resolver: *const RawResolver,
    register_factory: unsafe extern "C" fn(*const RawRegistrar, *const RawFactory) -> Status,
}

#[repr(C)]
struct RawQuery {
    struct_size: u32,
    tag_count: u32,
    contract: *const c_char,
    tags: *const *const c_char,
    arguments: *const RawValue,
    argument_count: u32,
    reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct RawInstance {
    object: *mut c_void,
    vtable: *const c_void,
    handle: *mut c_void,
}

#[repr(C)]
struct RawResolver {
    struct_size: u32,
    reserved: u32,
    context: *mut c_void,
    resolve: unsafe extern "C" fn(*const RawResolver, *const RawQuery, *mut RawInstance) -> Status,
    resolve_all:
        unsafe extern "C" fn(*const RawResolver, *const RawQuery, *mut *mut RawInstance, *mut usize) -> Status,
    release: unsafe extern "C" fn(*const RawResolver, RawInstance),
    message: unsafe extern "C" fn(*const RawResolver) -> *const c_char,
}

#[repr(C)]
struct RawOutput {
    struct_size: u32,
    reserved: u32,
    context: *mut c_void,
    write: unsafe extern "C" fn(*const RawOutput, *const c_void, usize) -> Status,
}

#[repr(C)]
struct RawTransform {
    struct_size: u32,
    reserved: u32,
    feed: unsafe extern "C" fn(*mut c_void, *const u8, usize, *const RawOutput) -> Status,
    finish: unsafe extern "C" fn(*mut c_void, *const RawOutput) -> Status,
    message: unsafe extern "C" fn(*mut c_void) -> *const c_char,
}

// ---- The manifest and the entry. ----

/// An ELF note with the manifest, which the host reads without running the plugin.
#[repr(C, align(4))]
pub struct Note<const SIZE: usize> {
    sizes_and_type: [u32; 3],
    name: [u8; 8],
    content: [u8; SIZE],
}

impl<const SIZE: usize> Note<SIZE> {
    pub const fn new(json: &str) -> Self {
        let mut content = [0; SIZE];
        let mut i = 0;
        while i < json.len() {
            content[i] = json.as_bytes()[i];
            i += 1;
        }
        Note { sizes_and_type: [7, SIZE as u32, 1], name: *b"Troupe\0\0", content }
    }
}

/// Writes the manifest, JSON in a string literal.
#[macro_export]
macro_rules! manifest {
    ($json:expr) => {
        #[used]
        #[link_section = ".note.troupe"]
        static TROUPE_NOTE: $crate::troupe::Note<{ $json.len() + 1 }> = $crate::troupe::Note::new($json);
    };
}

/// Names the function `fn(&Registrar) -> Result<()>` that registers.
#[macro_export]
macro_rules! entry {
    ($register:path) => {
        #[no_mangle]
        pub extern "C" fn troupe_plugin_main(registrar: &$crate::troupe::RawRegistrar) -> i32 {
            $crate::troupe::run_entry(registrar, $register)
        }
    };
}

pub fn run_entry(raw: &RawRegistrar, register: fn(&Registrar) -> Result<()>) -> i32 {
    HOST.store(raw.host, Ordering::Release);
    caught(|| register(&Registrar { raw })).map_or_else(|failure| failure.report(), |()| OK)
}

/// The reason of a failure.
#[derive(Debug)]
pub enum Failure {
    /// A message for the user.
    Message(String),
    /// A status of the host, which knows the reason.
    Status(i32),
}

pub type Result<T> = std::result::Result<T, Failure>;

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::Message(message)
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Self {
        Failure::Message(message.into())
    }
}

impl Failure {
    /// Passes the message to the host, and returns the status.
    fn report(self) -> Status {
        match self {
            Failure::Message(message) => {
                host().fail(&message);
                FAILED
            }
            Failure::Status(status) => status,
        }
    }
}

/// Runs code of the plugin. A panic is a failure.
fn caught<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<&str>().map(|text| text.to_string());
        let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Failure::Message(format!("the plugin panicked: {}", message.unwrap_or_default())))
    })
}

/// A C string. Ends at the first NUL of the text.
fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

// ---- The host. ----

static HOST: AtomicPtr<RawHost> = AtomicPtr::new(ptr::null_mut());

/// The services of the host. Every function may be called on any thread, after the entry has begun.
#[derive(Clone, Copy)]
pub struct Host(&'static RawHost);

pub fn host() -> Host {
    // SAFETY: the entry stores the pointer, which is valid for as long as the plugin is loaded.
    Host(unsafe { HOST.load(Ordering::Acquire).as_ref() }.expect("the entry has not run"))
}

/// A level of the log.
#[derive(Clone, Copy)]
pub enum Level {
    Debug = 0,
    Info = 1,
    Warning = 2,
    Error = 3,
}

impl Host {
    /// Writes a line to the host's log.
    pub fn log(self, level: Level, message: &str) {
        // SAFETY: the host copies the text.
        unsafe { (self.0.log)(self.0, level as i32, c_string(message).as_ptr()) }
    }

    fn fail(self, message: &str) {
        // SAFETY: the host copies the text.
        unsafe { (self.0.fail)(self.0, c_string(message).as_ptr()) }
    }

    fn setting(self, key: &str) -> Option<RawValue> {
        let mut value = RawValue { kind: 0, reserved: 0, payload: RawPayload { int64: 0 } };
        // SAFETY: the host writes a value to the address.
        let status = unsafe { (self.0.setting)(self.0, c_string(key).as_ptr(), &mut value) };
        (status == OK).then_some(value)
    }

    /// The value of an integer setting or, as 0 or 1, of a Boolean one. `None` for a setting of another kind.
    pub fn integer(self, key: &str) -> Option<i64> {
        // SAFETY: these kinds have this member.
        self.setting(key).filter(|value| value.kind <= 1).map(|value| unsafe { value.payload.int64 })
    }

    /// The value of a number setting. `None` for a setting of another kind.
    pub fn number(self, key: &str) -> Option<f64> {
        // SAFETY: this kind has this member.
        self.setting(key).filter(|value| value.kind == 3).map(|value| unsafe { value.payload.float64 })
    }

    /// The value of a text or choice setting. `None` for a setting of another kind.
    pub fn text(self, key: &str) -> Option<String> {
        // SAFETY: this kind has this member, a string that stays valid for as long as the plugin is loaded.
        self.setting(key).filter(|value| value.kind == 4).map(|value| unsafe { text(value.payload.string) })
    }
}

/// Copies a C string. NULL is empty, and bytes that are not UTF-8 are replaced.
///
/// # Safety
/// The address is NULL or that of a C string.
pub unsafe fn text(address: *const c_char) -> String {
    if address.is_null() {
        String::new()
    } else {
        CStr::from_ptr(address).to_string_lossy().into_owned()
    }
}

// ---- Functions. ----

/// A type of C.
///
/// # Safety
/// `NAME` is the name of a type with the same layout.
pub unsafe trait CType: Copy + Default {
    const NAME: &'static str;
    /// The definition in front of the signature, empty for types of C itself.
    fn definition() -> String {
        String::new()
    }
}

macro_rules! c_types {
    ($($type:ty = $name:literal),*) => { $(unsafe impl CType for $type { const NAME: &'static str = $name; })* };
}
c_types!(
    i8 = "int8_t", u8 = "uint8_t", i16 = "int16_t", u16 = "uint16_t", i32 = "int", u32 = "unsigned int",
    i64 = "int64_t", u64 = "uint64_t", usize = "size_t", isize = "ptrdiff_t", f32 = "float", f64 = "double", bool = "bool"
);

/// Defines a struct for parameters and results, the same in Rust and in C.
#[macro_export]
macro_rules! structure {
    ($(#[$meta:meta])* struct $name:ident { $($member:ident: $type:ty),* $(,)? }) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Default)]
        pub struct $name { $(pub $member: $type),* }
        // SAFETY: the definition is made from the members.
        unsafe impl $crate::troupe::CType for $name {
            const NAME: &'static str = concat!("struct ", stringify!($name));
            fn definition() -> String {
                let inner = [$(<$type as $crate::troupe::CType>::definition()),*].concat();
                let members =
                    [$(format!("{} {}; ", <$type as $crate::troupe::CType>::NAME, stringify!($member))),*].concat();
                format!("{inner}{} {{ {members}}}; ", Self::NAME)
            }
        }
    };
}

/// A parameter that C passes as it is.
pub trait Parameter {
    fn declaration(name: &str) -> Declaration;
}

/// The text of a parameter or a result in a signature.
#[derive(Default)]
pub struct Declaration {
    pub text: String,
    pub definition: String,
}

impl<T: CType> Parameter for T {
    fn declaration(name: &str) -> Declaration {
        Declaration { text: format!("{} {name}", T::NAME), definition: T::definition() }
    }
}

/// A callback with two parameters. Calling it is safe: the host passes a function of this type.
impl<A: CType, B: CType, R: CType> Parameter for Option<extern "C" fn(A, B) -> R> {
    fn declaration(name: &str) -> Declaration {
        let text = format!("{} (*{name})({}, {})", R::NAME, A::NAME, B::NAME);
        Declaration { text, definition: R::definition() }
    }
}

/// A buffer, declared by `function!`.
pub fn buffer<T: CType>(mark: &str, name: &str) -> Declaration {
    let text = format!("{mark}{} {name}[{name}_count], size_t {name}_count", T::NAME);
    Declaration { text, definition: T::definition() }
}

/// An output, declared by `function!`.
pub fn output<T: CType>(name: &str) -> Declaration {
    Declaration { text: format!("out {} *{name}", T::NAME), definition: T::definition() }
}

/// The slice of a buffer that the function reads. NULL is empty.
///
/// # Safety
/// The address is NULL, or that of `count` elements that do not change.
pub unsafe fn slice<'a, T>(address: *const T, count: usize) -> &'a [T] {
    if address.is_null() {
        &[]
    } else {
        std::slice::from_raw_parts(address, count)
    }
}

/// The slice of a buffer that the function changes. NULL is empty.
///
/// # Safety
/// The address is NULL, or that of `count` elements that nothing else uses.
pub unsafe fn slice_mut<'a, T>(address: *mut T, count: usize) -> &'a mut [T] {
    if address.is_null() {
        &mut []
    } else {
        std::slice::from_raw_parts_mut(address, count)
    }
}

/// A result of a C function.
pub trait Returned: Sized {
    type Raw;
    /// The result in a signature, and the text behind the parameters.
    fn declaration() -> (Declaration, &'static str);
    fn raw(self) -> Self::Raw;
    /// The result of a function that panicked. The panic's message is on standard error.
    fn panicked() -> Self::Raw;
}

impl<T: CType> Returned for T {
    type Raw = T;
    fn declaration() -> (Declaration, &'static str) {
        (Declaration { text: T::NAME.into(), definition: T::definition() }, "")
    }
    fn raw(self) -> T {
        self
    }
    fn panicked() -> T {
        T::default()
    }
}

impl Returned for () {
    type Raw = ();
    fn declaration() -> (Declaration, &'static str) {
        (Declaration { text: "void".into(), definition: String::new() }, "")
    }
    fn raw(self) {}
    fn panicked() {}
}

extern "C" {
    fn strdup(text: *const c_char) -> *mut c_char;
    fn __errno_location() -> *mut c_int;
}

/// Text that the host releases.
impl Returned for String {
    type Raw = *mut c_char;
    fn declaration() -> (Declaration, &'static str) {
        (Declaration { text: "owned(free) char *".into(), definition: String::new() }, "")
    }
    fn raw(self) -> *mut c_char {
        // SAFETY: copies a C string.
        unsafe { strdup(c_string(&self).as_ptr()) }
    }
    fn panicked() -> *mut c_char {
        ptr::null_mut()
    }
}

/// An error number of the system, such as 33 for `EDOM`.
pub struct Errno(pub i32);

/// Success or an error, which the host reports: -1 with `errno`.
impl Returned for std::result::Result<(), Errno> {
    type Raw = c_int;
    fn declaration() -> (Declaration, &'static str) {
        (Declaration { text: "int".into(), definition: String::new() }, " errno")
    }
    fn raw(self) -> c_int {
        match self {
            Ok(()) => 0,
            Err(Errno(number)) => {
                // SAFETY: the address of errno of this thread.
                unsafe { *__errno_location() = number };
                -1
            }
        }
    }
    fn panicked() -> c_int {
        const EIO: i32 = 5;
        Err(Errno(EIO)).raw()
    }
}

/// An instance in memory of its own. Its address is that of the object.
#[repr(C)]
struct Held<T> {
    object: T,
    message: CString,
}

/// A new instance of a factory.
impl<T> Returned for Result<T> {
    type Raw = *mut c_void;
    fn declaration() -> (Declaration, &'static str) {
        (Declaration { text: "void *".into(), definition: String::new() }, "")
    }
    fn raw(self) -> *mut c_void {
        match self {
            Ok(object) => Box::into_raw(Box::new(Held { object, message: CString::default() })).cast(),
            Err(failure) => {
                failure.report();
                ptr::null_mut()
            }
        }
    }
    fn panicked() -> *mut c_void {
        Result::<T>::Err("the factory panicked".into()).raw()
    }
}

/// A C function that `function!` has made, with its signature and the type of its result.
pub struct Function<R> {
    address: *const (),
    signature: String,
    result: PhantomData<R>,
}

impl<R: Returned> Function<R> {
    pub fn new(parameters: Vec<Declaration>, address: *const ()) -> Self {
        let (result, suffix) = R::declaration();
        let mut definitions: Vec<&str> = Vec::new();
        for definition in parameters.iter().chain([&result]).map(|declaration| &declaration.definition) {
            if !definitions.contains(&definition.as_str()) {
                definitions.push(definition);
            }
        }
        let texts: Vec<&str> = parameters.iter().map(|parameter| parameter.text.as_str()).collect();
        let list = if texts.is_empty() { "void".into() } else { texts.join(", ") };
        let signature = format!("{}{} ({list}){suffix}", definitions.concat(), result.text);
        Function { address, signature, result: PhantomData }
    }
}

/// Runs a function for the host.
pub fn guard<R: Returned>(body: impl FnOnce() -> R) -> R::Raw {
    catch_unwind(AssertUnwindSafe(|| body().raw())).unwrap_or_else(|_| R::panicked())
}

/// Makes a C function from one in Rust: `NAME()` returns it. The types of the parameters are:
///
/// - a number, a `structure!`, `Option<extern "C" fn(A, B) -> R>` for a callback, `Resolver`
/// - `&str` for text; bytes that are not UTF-8 are replaced
/// - `&[T]` and `&mut [T]` for a buffer, which the caller passes as an array
/// - `&mut T` for an output
///
/// The result is a number, a `structure!`, nothing, a `String`, `Result<(), Errno>` or, for a factory,
/// `troupe::Result<T>`.
#[macro_export]
macro_rules! function {
    ($(#[$meta:meta])* fn $name:ident($($parameters:tt)*) -> $result:ty $body:block) => {
        $(#[$meta])*
        fn $name() -> $crate::troupe::Function<$result> {
            $crate::function!(@next $result, $body [] [] [] [] $($parameters)*,)
        }
    };
    ($(#[$meta:meta])* fn $name:ident($($parameters:tt)*) $body:block) => {
        $crate::function! { $(#[$meta])* fn $name($($parameters)*) -> () $body }
    };
    (@next $r:ty, $b:block [$($raw:tt)*] [$($call:tt)*] [$($rust:tt)*] [$($text:tt)*] $(,)*) => {{
        fn rust($($rust)*) -> $r $b
        extern "C" fn raw($($raw)*) -> <$r as $crate::troupe::Returned>::Raw {
            $crate::troupe::guard(|| rust($($call)*))
        }
        $crate::troupe::Function::new(vec![$($text)*], raw as *const ())
    }};
    (@next $r:ty, $b:block [$($raw:tt)*] [$($call:tt)*] [$($rust:tt)*] [$($text:tt)*] $n:ident: &mut [$t:ty], $($rest:tt)*) => {
        $crate::function!(@next $r, $b
            [$($raw)* $n: *mut $t, count: usize,]
            // SAFETY: the host passes the elements of a buffer with their number, for the call.
            [$($call)* unsafe { $crate::troupe::slice_mut($n, count) },]
            [$($rust)* $n: &mut [$t],] [$($text)* $crate::troupe::buffer::<$t>("", stringify!($n)),] $($rest)*)
    };
    (@next $r:ty, $b:block [$($raw:tt)*] [$($call:tt)*] [$($rust:tt)*] [$($text:tt)*] $n:ident: &[$t:ty], $($rest:tt)*) => {
        $crate::function!(@next $r, $b
            [$($raw)* $n: *const $t, count: usize,]
            // SAFETY: as above.
            [$($call)* unsafe { $crate::troupe::slice($n, count) },]
            [$($rust)* $n: &[$t],] [$($text)* $crate::troupe::buffer::<$t>("const ", stringify!($n)),] $($rest)*)
    };
    (@next $r:ty, $b:block [$($raw:tt)*] [$($call:tt)*] [$($rust:tt)*] [$($text:tt)*] $n:ident: &str, $($rest:tt)*) => {
        $crate::function!(@next $r, $b
            [$($raw)* $n: *const std::os::raw::c_char,]
            // SAFETY: the host passes NULL or a C string, for the call.
            [$($call)* &unsafe { $crate::troupe::text($n) },]
            [$($rust)* $n: &str,]
            [$($text)* $crate::troupe::Declaration { text: concat!("string ", stringify!($n)).into(), definition: String::new() },]
            $($rest)*)
    };
    (@next $r:ty, $b:block [$($raw:tt)*] [$($call:tt)*] [$($rust:tt)*] [$($text:tt)*] $n:ident: &mut $t:ty, $($rest:tt)*) => {
        $crate::function!(@next $r, $b
            [$($raw)* $n: &mut $t,] [$($call)* $n,] [$($rust)* $n: &mut $t,]
            [$($text)* $crate::troupe::output::<$t>(stringify!($n)),] $($rest)*)
    };
    (@next $r:ty, $b:block [$($raw:tt)*] [$($call:tt)*] [$($rust:tt)*] [$($text:tt)*] $n:ident: $t:ty, $($rest:tt)*) => {
        $crate::function!(@next $r, $b
            [$($raw)* $n: $t,] [$($call)* $n,] [$($rust)* $n: $t,]
            [$($text)* <$t as $crate::troupe::Parameter>::declaration(stringify!($n)),] $($rest)*)
    };
}

// ---- Registrations. ----

/// The lifetime of an instance: one for each resolve, one for all, or one for each scope, such as each file of
/// `troupe run`.
#[derive(Clone, Copy)]
pub enum Lifetime {
    Transient = 0,
    Singleton = 1,
    Scoped = 2,
}

/// The identity of a registration.
pub struct Registration<'a> {
    pub uuid: &'a str,
    pub name: &'a str,
    pub tags: &'a [&'a str],
    pub metadata: &'a [(&'a str, &'a str)],
}

/// Registers functions and factories while the entry runs.
pub struct Registrar<'a> {
    raw: &'a RawRegistrar,
}

/// The contract of a factory's instances.
struct Contract {
    name: &'static str,
    lifetime: Lifetime,
    vtable: *const c_void,
    destroy: unsafe extern "C" fn(*mut c_void),
}

impl Registrar<'_> {
    /// Registers a function for calls.
    pub fn function<R: Returned>(&self, registration: Registration, function: Function<R>) -> Result<()> {
        self.register(registration, function, None)
    }

    /// Registers a stage of a stream.
    pub fn transform<T: Transform>(&self, registration: Registration, make: Function<Result<T>>) -> Result<()> {
        let vtable: *const RawTransform = &Stage::<T>::TABLE;
        let contract = Contract {
            name: "troupe.transform/1",
            lifetime: Lifetime::Transient,
            vtable: vtable.cast(),
            destroy: destroy::<T>,
        };
        self.register(registration, make, Some(contract))
    }

    /// Registers instances of a contract that a plugin defines.
    ///
    /// # Safety
    /// The contract has this table, whose functions take a pointer to a `T`.
    pub unsafe fn contract<T: Send + Sync, Table>(
        &self,
        registration: Registration,
        name: &'static str,
        lifetime: Lifetime,
        table: &'static Table,
        make: Function<Result<T>>,
    ) -> Result<()> {
        let vtable: *const Table = table;
        self.register(registration, make, Some(Contract { name, lifetime, vtable: vtable.cast(), destroy: destroy::<T> }))
    }

    fn register<R>(&self, of: Registration, function: Function<R>, contract: Option<Contract>) -> Result<()> {
        let (uuid, name, signature) = (c_string(of.uuid), c_string(of.name), c_string(&function.signature));
        let contract_name = contract.as_ref().map(|contract| c_string(contract.name));
        let tags: Vec<CString> = of.tags.iter().map(|tag| c_string(tag)).collect();
        let tags: Vec<*const c_char> = tags.iter().map(|tag| tag.as_ptr()).collect();
        let pairs: Vec<_> = of.metadata.iter().map(|(key, value)| (c_string(key), c_string(value))).collect();
        let metadata: Vec<_> =
            pairs.iter().map(|(key, value)| RawMetadata { key: key.as_ptr(), value: value.as_ptr() }).collect();
        let factory = RawFactory {
            struct_size: std::mem::size_of::<RawFactory>() as u32,
            lifetime: contract.as_ref().map_or(Lifetime::Transient, |contract| contract.lifetime) as i32,
            uuid: uuid.as_ptr(),
            name: name.as_ptr(),
            contract: contract_name.as_ref().map_or(ptr::null(), |name| name.as_ptr()),
            signature: signature.as_ptr(),
            function: function.address,
            destroy: contract.as_ref().map(|contract| contract.destroy),
            vtable: contract.as_ref().map_or(ptr::null(), |contract| contract.vtable),
            tags: tags.as_ptr(),
            metadata: metadata.as_ptr(),
            tag_count: tags.len() as u32,
            metadata_count: metadata.len() as u32,
        };
        // SAFETY: the host copies all but the table, which is constant. `function!` has made the signature from the
        // function's type.
        match unsafe { (self.raw.register_factory)(self.raw, &factory) } {
            OK => Ok(()),
            status => Err(Failure::Status(status)),
        }
    }
}

/// Releases an instance that a factory of the type has made.
unsafe extern "C" fn destroy<T>(instance: *mut c_void) {
    let held = Box::from_raw(instance.cast::<Held<T>>());
    let _ = catch_unwind(AssertUnwindSafe(|| drop(held)));
}

// ---- Stages. ----

/// A stage of a stream: `feed` any number of times with pieces of any size, then `finish` once.
pub trait Transform: Send + 'static {
    fn feed(&mut self, bytes: &[u8], output: &Output) -> Result<()>;
    fn finish(&mut self, output: &Output) -> Result<()>;
}

/// The output of a stage.
pub struct Output<'a>(&'a RawOutput);

impl Output<'_> {
    /// Writes bytes. The stage returns a failure unchanged.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        // SAFETY: the host borrows the bytes for the call.
        match unsafe { (self.0.write)(self.0, bytes.as_ptr().cast(), bytes.len()) } {
            OK => Ok(()),
            status => Err(Failure::Status(status)),
        }
    }
}

/// The functions of the contract for a type of stage. The host uses an instance on one thread at a time.
struct Stage<T>(PhantomData<T>);

impl<T: Transform> Stage<T> {
    const TABLE: RawTransform = RawTransform {
        struct_size: std::mem::size_of::<RawTransform>() as u32,
        reserved: 0,
        feed: Self::feed,
        finish: Self::finish,
        message: Self::message,
    };

    unsafe extern "C" fn feed(instance: *mut c_void, bytes: *const u8, count: usize, output: *const RawOutput) -> Status {
        let bytes = std::slice::from_raw_parts(bytes, count);
        Self::run(instance, |stage| stage.feed(bytes, &Output(&*output)))
    }

    unsafe extern "C" fn finish(instance: *mut c_void, output: *const RawOutput) -> Status {
        Self::run(instance, |stage| stage.finish(&Output(&*output)))
    }

    unsafe extern "C" fn message(instance: *mut c_void) -> *const c_char {
        let held = &*instance.cast::<Held<T>>();
        if held.message.as_bytes().is_empty() {
            ptr::null()
        } else {
            held.message.as_ptr()
        }
    }

    unsafe fn run(instance: *mut c_void, body: impl FnOnce(&mut T) -> Result<()>) -> Status {
        let held = &mut *instance.cast::<Held<T>>();
        match caught(|| body(&mut held.object)) {
            Ok(()) => OK,
            Err(Failure::Status(status)) => status,
            Err(Failure::Message(message)) => {
                held.message = c_string(&message);
                FAILED
            }
        }
    }
}

// ---- The resolver. ----

/// Resolves the registrations of plugins and programs. Valid for as long as the instance whose factory gets it.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Resolver(*const RawResolver);

impl Parameter for Resolver {
    fn declaration(_: &str) -> Declaration {
        Declaration { text: "resolver".into(), definition: String::new() }
    }
}

impl Resolver {
    /// Resolves the one instance of a contract with these tags.
    ///
    /// # Safety
    /// The contract has this table, whose first member is its size, and the instance does not outlive that of the
    /// factory.
    pub unsafe fn resolve<Table>(self, contract: &str, tags: &[&str]) -> Result<Instance<Table>> {
        let contract = c_string(contract);
        let tags: Vec<CString> = tags.iter().map(|tag| c_string(tag)).collect();
        let tags: Vec<*const c_char> = tags.iter().map(|tag| tag.as_ptr()).collect();
        let query = RawQuery {
            struct_size: std::mem::size_of::<RawQuery>() as u32,
            tag_count: tags.len() as u32,
            contract: contract.as_ptr(),
            tags: tags.as_ptr(),
            arguments: ptr::null(),
            argument_count: 0,
            reserved: 0,
        };
        let mut raw = RawInstance { object: ptr::null_mut(), vtable: ptr::null(), handle: ptr::null_mut() };
        let resolver = &*self.0;
        if (resolver.resolve)(self.0, &query, &mut raw) != OK {
            return Err(Failure::Message(text((resolver.message)(self.0))));
        }
        let instance = Instance { resolver: self, raw, table: PhantomData };
        if raw.vtable.is_null() || (*raw.vtable.cast::<u32>() as usize) < std::mem::size_of::<Table>() {
            return Err("the table of the resolved instance is too small".into());
        }
        Ok(instance)
    }
}

/// A resolved instance of a contract with this table. Released with this value.
pub struct Instance<Table> {
    resolver: Resolver,
    raw: RawInstance,
    table: PhantomData<Table>,
}

// SAFETY: the host's functions may be called on any thread; the contract's rules are those of its user.
unsafe impl<Table> Send for Instance<Table> {}

impl<Table> Instance<Table> {
    /// The first argument for the functions of the table.
    pub fn object(&self) -> *mut c_void {
        self.raw.object
    }

    pub fn table(&self) -> &Table {
        // SAFETY: `resolve` has checked the size.
        unsafe { &*self.raw.vtable.cast() }
    }
}

impl<Table> Drop for Instance<Table> {
    fn drop(&mut self) {
        // SAFETY: the instance is released once, to its resolver.
        unsafe { ((*self.resolver.0).release)(self.resolver.0, self.raw) }
    }
}

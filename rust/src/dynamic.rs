use std::fmt;
use std::ptr::NonNull;

use crate::error::checked;
use crate::value::{raise, take_objects, Lowering, Origin, VOID};
use crate::{sys, Arguments, Error, Function, Map, Parameter, Result, Return, Signature, Type, TypeKind, Value};

/// A C function of any type, called with [`Value`]s. It keeps its plugin loaded, and several threads may use it at once.
///
/// ```
/// # let plugins = concat!(env!("CARGO_MANIFEST_DIR"), "/../.build/plugins");
/// # let host = unsafe { troupe::Host::builder().directory(plugins).start()? };
/// let area = host.dyn_function("area")?;
/// assert_eq!(area.signature().text(), "double (double width, double height)");
/// assert_eq!(area.call(&[3.into(), 4.5.into()])?.as_f64(), Some(13.5));
///
/// let div = host.dyn_function("div")?.call(&[47.into(), 10.into()])?;
/// assert_eq!(div.get("rem").and_then(|rem| rem.as_i64()), Some(7));
/// # Ok::<(), troupe::Error>(())
/// ```
pub struct DynFunction {
    function: NonNull<sys::troupe_function_t>,
    /// Owned by the function, and constant.
    signature: *const sys::troupe_signature,
    /// True if a result has outputs beside the result of the function.
    has_outputs: bool,
}

// SAFETY: the header tags all functions of a function with [any thread]; only `drop` releases it.
unsafe impl Send for DynFunction {}
// SAFETY: as above.
unsafe impl Sync for DynFunction {}

/// The number of arguments up to which a call allocates no array for them.
const INLINE_COUNT: usize = 8;

impl DynFunction {
    /// Owns a function of the library.
    ///
    /// # Safety
    ///
    /// `function` is a new handle.
    pub(crate) unsafe fn new(function: *mut sys::troupe_function_t) -> DynFunction {
        let function = NonNull::new(function).expect("troupe_host_function returned neither a function nor an error");
        // SAFETY: the function is valid, and its signature lives as long as it.
        unsafe {
            let signature = sys::troupe_function_signature(function.as_ptr());
            let has_outputs = Signature::new(signature).has_outputs();
            DynFunction { function, signature, has_outputs }
        }
    }

    /// Returns the registered name.
    pub fn name(&self) -> &str {
        // SAFETY: the name belongs to the function.
        unsafe { std::ffi::CStr::from_ptr(sys::troupe_function_name(self.as_ptr())) }.to_str().unwrap_or_default()
    }

    /// Returns the type of the function.
    pub fn signature(&self) -> Signature<'_> {
        // SAFETY: the signature belongs to the function.
        unsafe { Signature::new(self.signature) }
    }

    /// Returns whether calls on several threads run at once, as those of a plugin's functions do. Calls of an adopted library run one at a
    /// time unless its file has `"threads": "any"`.
    pub fn is_thread_safe(&self) -> bool {
        // SAFETY: the function is valid.
        unsafe { sys::troupe_function_is_thread_safe(self.as_ptr()) != 0 }
    }

    /// Returns whether the function runs in a worker, a process of its own.
    pub fn is_isolated(&self) -> bool {
        // SAFETY: the function is valid.
        unsafe { sys::troupe_function_is_isolated(self.as_ptr()) != 0 }
    }

    /// Returns the function for direct calls. Fails with `invalidSignature` if it has another type than `Args` and `Ret` say.
    pub fn typed<Args: Arguments, Ret: Return>(self) -> Result<Function<Args, Ret>> {
        Function::new(self)
    }

    /// Calls the function with one argument for each parameter that takes one.
    ///
    /// Fails with `usage` (the number of arguments), `invalidData` (an argument does not fit), `reportedFailure` (the
    /// function reports that it failed), `missingResource`, and the error of a callback. Costs some nanoseconds if all parameters and
    /// the result are numbers.
    pub fn call(&self, arguments: &[Value<'_>]) -> Result<Value<'static>> {
        let mut lowering = Lowering::default();
        let mut inline = [VOID; INLINE_COUNT];
        let mut allocated = Vec::new();
        let (mut lent, mut lent_count) = (None, 0);
        let values = if arguments.len() <= INLINE_COUNT {
            &mut inline[..arguments.len()]
        } else {
            allocated.resize(arguments.len(), VOID);
            &mut allocated[..]
        };
        for (index, (value, argument)) in values.iter_mut().zip(arguments).enumerate() {
            *value = match argument.as_number() {
                Some(number) => number,
                None => {
                    let parameter = self.argument_parameters().nth(index);
                    let type_ = parameter.map(|(_, parameter)| parameter.value_type());
                    // The call allocates memory for these, which comes back as an output.
                    let is_written = |type_: &Type<'_>| type_.is_pointer() && !type_.is_constant();
                    if let (Value::Array(_) | Value::Struct(_), Some(type_)) = (argument, type_.filter(is_written)) {
                        lent = Some(type_);
                        lent_count += 1;
                    }
                    lowering.lower(argument, parameter, type_)?
                }
            };
        }
        let mut result = VOID;
        // SAFETY: the arguments live for the call. Memory among them has the types of their parameters, which `lower` has checked, pointers
        // are Pointers, and callbacks are Sync.
        let called = unsafe {
            checked(|error| {
                sys::troupe_function_call(self.as_ptr(), values.as_ptr(), arguments.len(), &mut result, error)
            })
        };
        let result = CallResult(result);
        for callback in lowering.callbacks {
            callback.finish()?;
        }
        called?;
        let signature = self.signature();
        let is_void = signature.result().kind() == TypeKind::Void;
        result.into_value(match lent {
            Some(type_) if is_void && !self.has_outputs && lent_count == 1 => Origin::Value(type_),
            None if !self.has_outputs => Origin::Value(signature.result()),
            _ => Origin::Outputs(signature),
        })
    }

    /// Prepares a call for many rows.
    pub fn map(&self) -> Map<'_> {
        Map::new(self)
    }

    /// Returns the parameters that take arguments, with their indices.
    pub(crate) fn argument_parameters(&self) -> impl Iterator<Item = (usize, Parameter<'_>)> {
        self.signature().parameters().enumerate().filter(|(_, parameter)| parameter.takes_argument())
    }

    pub(crate) fn count_error(&self, count: usize) -> Error {
        let expected = self.argument_parameters().count();
        let problem = format!("it takes {expected} arguments, not {count}");
        Error::usage(self.name(), problem, &format!("call it as {}", self.signature()))
    }

    /// Returns the handle, for functions of [`sys`]. The function keeps it.
    pub fn as_ptr(&self) -> *mut sys::troupe_function_t {
        self.function.as_ptr()
    }
}

impl Drop for DynFunction {
    fn drop(&mut self) {
        // SAFETY: this is the only release.
        unsafe { sys::troupe_function_free(self.as_ptr()) }
    }
}

impl fmt::Debug for DynFunction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "DynFunction({}: {})", self.name(), self.signature())
    }
}

/// A result of a call, which it clears.
pub(crate) struct CallResult(pub(crate) sys::troupe_call_value);

impl CallResult {
    pub(crate) fn into_value(mut self, origin: Origin<'_>) -> Result<Value<'static>> {
        // SAFETY: the value is a result of the library, of this origin, and cleared after its objects are out.
        unsafe {
            let mut value = raise(&self.0, origin)?;
            take_objects(&mut self.0, &mut value);
            Ok(value)
        }
    }
}

impl Drop for CallResult {
    fn drop(&mut self) {
        if !matches!(self.0.kind, sys::TROUPE_VALUE_BOOL..=sys::TROUPE_VALUE_DOUBLE | sys::TROUPE_VALUE_VOID) {
            // SAFETY: the value is a result of the library, and cleared once.
            unsafe { sys::troupe_call_value_clear(&mut self.0) }
        }
    }
}

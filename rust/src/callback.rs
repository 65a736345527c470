use std::any::Any;
use std::cell::RefCell;
use std::ffi::{c_void, CStr};
use std::panic::{self, AssertUnwindSafe};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use crate::error::checked;
use crate::value::{raise, Lowering, Origin, VOID};
use crate::{sys, text, Error, Result, Signature, Type, Value};

/// A closure that C calls; see [`Value::callback`].
pub type Callback<'a> = dyn Fn(&[Value<'_>]) -> Result<Value<'static>> + Sync + 'a;

/// A closure for the time of a call, with its failure and the memory of its results.
pub(crate) struct CallbackContext<'c> {
    closure: &'c Callback<'c>,
    signature: Option<Signature<'c>>,
    callback: sys::troupe_callback,
    outcome: Mutex<Outcome>,
}

// SAFETY: the closure is Sync, signatures are constant, `callback` is set before the first call, and the rest is under a lock.
unsafe impl Sync for CallbackContext<'_> {}

#[derive(Default)]
struct Outcome {
    /// The first failure of the closure, which ends the call.
    failure: Option<CallbackFailure>,
    /// Memory of results, which the library may read until the call returns.
    results: Vec<HeldResult>,
}

enum CallbackFailure {
    Error(Error),
    Panic(Box<dyn Any + Send>),
}

impl<'c> CallbackContext<'c> {
    pub(crate) fn new(closure: &'c Callback<'c>, signature: Option<Signature<'c>>) -> CallbackContext<'c> {
        let callback = sys::troupe_callback { invoke: Some(invoke), context: std::ptr::null_mut() };
        CallbackContext { closure, signature, callback, outcome: Mutex::default() }
    }

    /// Fills in the own address, after which `self` must not move.
    pub(crate) fn callback(&mut self) -> *const sys::troupe_callback {
        let context: *mut Self = self;
        self.callback.context = context.cast();
        &self.callback
    }

    /// Continues a panic of the closure, or returns its error.
    pub(crate) fn finish(self) -> Result<()> {
        let outcome = self.outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
        match outcome.failure {
            Some(CallbackFailure::Panic(payload)) => panic::resume_unwind(payload),
            Some(CallbackFailure::Error(error)) => Err(error),
            None => Ok(()),
        }
    }

    /// Calls the closure and returns its result in C's form.
    ///
    /// # Safety
    ///
    /// `arguments` are valid values for the parameters of the signature.
    unsafe fn call(&self, arguments: &[sys::troupe_call_value]) -> Result<sys::troupe_call_value> {
        let mut origins = self.signature.into_iter().flat_map(Signature::parameters).map(Origin::of_parameter);
        let values = arguments.iter().map(|argument| {
            let origin = origins.next().unwrap_or(Origin::Unknown);
            // SAFETY: promised by the caller.
            unsafe { raise(argument, origin) }
        });
        lowered_result((self.closure)(&values.collect::<Result<Vec<_>>>()?)?, |result| self.lock().results.push(result))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Outcome> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type HeldClosure = dyn Fn(&[Value<'_>]) -> Result<Value<'static>> + Send + Sync;

/// A closure that C may call until its object is released, with the types of its arguments.
struct HeldCallback {
    closure: Box<HeldClosure>,
    /// A callback of the same type that nothing calls. Its types live until `destroy`, and those of the object itself only until its release.
    types: *mut sys::troupe_object,
}

// SAFETY: the closure is Send and Sync, and the types are constant.
unsafe impl Sync for HeldCallback {}

impl Drop for HeldCallback {
    fn drop(&mut self) {
        // SAFETY: this is the only release.
        unsafe { sys::troupe_object_free(self.types) }
    }
}

/// The result of a closure, and the memory that it points to.
type HeldResult = (Box<Value<'static>>, Lowering<'static>);

thread_local! {
    /// The last result of a held callback on this thread, which the library copies when the callback has returned.
    static LAST_RESULT: RefCell<Option<HeldResult>> = const { RefCell::new(None) };
}

/// Makes the object of a closure that C may call until its release.
pub(crate) fn held(signature: &CStr, closure: Box<HeldClosure>) -> Result<*mut sys::troupe_object> {
    let unused = sys::troupe_callback { invoke: Some(invoke_nothing), context: ptr::null_mut() };
    // SAFETY: the signature and the callback live for the call, which copies them.
    let types = unsafe { checked(|error| sys::troupe_callback_new(signature.as_ptr(), &unused, None, error)) }?;
    let context = Box::into_raw(Box::new(HeldCallback { closure, types }));
    let callback = sys::troupe_callback { invoke: Some(invoke_held), context: context.cast() };
    // SAFETY: as above; the context lives until `destroy`.
    let object =
        unsafe { checked(|error| sys::troupe_callback_new(signature.as_ptr(), &callback, Some(destroy), error)) };
    object.map_err(|error| {
        // SAFETY: the library has not taken the context.
        drop(unsafe { Box::from_raw(context) });
        error
    })
}

unsafe extern "C" fn destroy(context: *mut c_void) {
    // SAFETY: the library calls it once, when no call can begin or be under way. A panic of a destructor must not reach C.
    let _ = panic::catch_unwind(|| drop(unsafe { Box::from_raw(context.cast::<HeldCallback>()) }))
        .map_err(std::mem::forget);
}

unsafe extern "C" fn invoke_nothing(
    _: *mut c_void,
    _: *const sys::troupe_call_value,
    _: usize,
    _: *mut sys::troupe_call_value,
) -> sys::troupe_status {
    sys::TROUPE_FAILED
}

unsafe extern "C" fn invoke_held(
    context: *mut c_void,
    arguments: *const sys::troupe_call_value,
    count: usize,
    result: *mut sys::troupe_call_value,
) -> sys::troupe_status {
    // SAFETY: the library calls `destroy` after this call.
    let context = unsafe { &*context.cast::<HeldCallback>() };
    let called = panic::catch_unwind(AssertUnwindSafe(|| -> Result<sys::troupe_call_value> {
        // SAFETY: the types belong to the object, whose signature has the parameters of `arguments`.
        let (signature, arguments) =
            unsafe { (Type::new(sys::troupe_object_type(context.types)).signature(), text::slice(arguments, count)) };
        let mut origins = signature.into_iter().flat_map(Signature::parameters).map(Origin::of_parameter);
        let values = arguments.iter().map(|argument| {
            let origin = origins.next().unwrap_or(Origin::Unknown);
            // SAFETY: the library passes valid values.
            unsafe { raise(argument, origin) }
        });
        lowered_result((context.closure)(&values.collect::<Result<Vec<_>>>()?)?, |result| {
            LAST_RESULT.with(|last| drop(last.replace(Some(result))));
        })
    }));
    // The panic hook has reported a panic, whose payload's destructor might panic as well.
    let Ok(Ok(value)) = called.map_err(std::mem::forget) else { return sys::TROUPE_FAILED };
    // SAFETY: the library passes the place of the result.
    unsafe { result.write(value) };
    sys::TROUPE_OK
}

/// Returns the result of a closure in C's form. `keep` keeps the memory that it points to, if there is any.
fn lowered_result(result: Value<'static>, keep: impl FnOnce(HeldResult)) -> Result<sys::troupe_call_value> {
    let result = Box::new(result);
    let mut lowering = Lowering::default();
    // SAFETY: the box goes to `keep` with all that points to it, and its content stays in its place.
    let borrowed: &'static Value<'static> = unsafe { &*(&*result as *const _) };
    let lowered = lowering.lower(borrowed, None, None)?;
    if !lowering.callbacks.is_empty() {
        return Err(Error::invalid_data("the result of a callback", "it contains a callback", "return another value"));
    }
    if !lowering.is_empty() {
        keep((result, lowering));
    }
    Ok(lowered)
}

/// Passes a call from C to the closure.
unsafe extern "C" fn invoke(
    context: *mut c_void,
    arguments: *const sys::troupe_call_value,
    count: usize,
    result: *mut sys::troupe_call_value,
) -> sys::troupe_status {
    // SAFETY: `context` is a CallbackContext that lives until the call returns, and its lifetime parameter has no meaning here.
    let context = unsafe { &*context.cast::<CallbackContext<'_>>() };
    // SAFETY: the library passes `count` values.
    let called = panic::catch_unwind(AssertUnwindSafe(|| unsafe { context.call(text::slice(arguments, count)) }));
    let (value, failure) = match called {
        Ok(Ok(value)) => (value, None),
        Ok(Err(error)) => (VOID, Some(CallbackFailure::Error(error))),
        Err(payload) => (VOID, Some(CallbackFailure::Panic(payload))),
    };
    // SAFETY: the library passes the place of the result.
    unsafe { result.write(value) };
    match failure {
        None => sys::TROUPE_OK,
        Some(failure) => {
            context.lock().failure.get_or_insert(failure);
            sys::TROUPE_FAILED
        }
    }
}

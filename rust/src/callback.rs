use std::any::Any;
use std::ffi::c_void;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, PoisonError};

use crate::value::{raise, Lowering, Origin, VOID};
use crate::{sys, text, Error, Result, Signature, Value};

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
    results: Vec<(Box<Value<'static>>, Lowering<'static>)>,
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
        let result = Box::new((self.closure)(&values.collect::<Result<Vec<_>>>()?)?);
        let mut lowering = Lowering::default();
        // SAFETY: the box goes into `outcome` with all that points to it, and its content stays in its place.
        let borrowed: &'static Value<'static> = unsafe { &*(&*result as *const _) };
        let lowered = lowering.lower(borrowed, None, None)?;
        if !lowering.callbacks.is_empty() {
            return Err(Error::invalid_data(
                "the result of a callback",
                "it contains a callback",
                "return another value",
            ));
        }
        if !lowering.is_empty() {
            self.lock().results.push((result, lowering));
        }
        Ok(lowered)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Outcome> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
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

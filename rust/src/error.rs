use std::fmt;
use std::io;
use std::ptr;

use crate::{sys, text};

/// The result of a call that can fail with an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// The reason for a failure: a code for the program, and a message with a remedy for the user.
///
/// ```
/// # let plugins = concat!(env!("CARGO_MANIFEST_DIR"), "/../.build/plugins");
/// # let host = unsafe { troupe::Host::builder().directory(plugins).start()? };
/// let error = host.function::<(i32,), f64>("area").unwrap_err();
/// assert_eq!(error.code(), "invalidSignature");
/// let error: std::io::Error = error.into();
/// assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
/// # Ok::<(), troupe::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Parts>);

#[derive(Clone, PartialEq, Eq)]
struct Parts {
    code: String,
    status: i32,
    message: String,
    subject: String,
    remedy: String,
}

impl Error {
    /// Returns the code, such as `notRegistered`. Codes are stable; the article "Faults and failing factories" lists them.
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// Returns the status that belongs to the code, such as [`sys::TROUPE_NOT_FOUND`].
    pub fn status(&self) -> i32 {
        self.0.status
    }

    /// Returns one line for the user: the subject, the problem and the remedy.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the thing that has the problem, such as a path; empty if the message is a whole sentence.
    pub fn subject(&self) -> &str {
        &self.0.subject
    }

    /// Returns the remedy, an imperative; empty if there is none.
    pub fn remedy(&self) -> &str {
        &self.0.remedy
    }

    /// Makes an error with the code `unavailable`, for a closure that fails the call that called it.
    pub fn failure(problem: impl Into<String>) -> Error {
        Error(Box::new(Parts {
            code: "unavailable".to_owned(),
            status: sys::TROUPE_FAILED,
            message: problem.into(),
            subject: String::new(),
            remedy: String::new(),
        }))
    }

    fn new(code: &str, status: i32, subject: impl Into<String>, problem: impl fmt::Display, remedy: &str) -> Error {
        let subject = subject.into();
        let message = format!("{subject}: {problem}; {remedy}");
        let (code, remedy) = (code.to_owned(), remedy.to_owned());
        Error(Box::new(Parts { code, status, message, subject, remedy }))
    }

    pub(crate) fn invalid_argument(subject: impl Into<String>, problem: impl fmt::Display, remedy: &str) -> Error {
        Error::new("invalidArgument", sys::TROUPE_INVALID_ARGUMENT, subject, problem, remedy)
    }

    pub(crate) fn invalid_data(subject: impl Into<String>, problem: impl fmt::Display, remedy: &str) -> Error {
        Error::new("invalidData", sys::TROUPE_INVALID_ARGUMENT, subject, problem, remedy)
    }

    pub(crate) fn usage(subject: impl Into<String>, problem: impl fmt::Display, remedy: &str) -> Error {
        Error::new("usage", sys::TROUPE_INVALID_ARGUMENT, subject, problem, remedy)
    }

    pub(crate) fn invalid_signature(subject: impl Into<String>, problem: impl fmt::Display, remedy: &str) -> Error {
        Error::new("invalidSignature", sys::TROUPE_INVALID_SIGNATURE, subject, problem, remedy)
    }

    /// Copies an error of the library.
    ///
    /// # Safety
    ///
    /// `error` is a valid error.
    pub(crate) unsafe fn copy(error: *const sys::troupe_error) -> Error {
        // SAFETY: the error is valid, and its texts are C strings that live as long as it.
        unsafe {
            Error(Box::new(Parts {
                code: text::string(sys::troupe_error_code(error)),
                status: sys::troupe_error_status(error),
                message: text::string(sys::troupe_error_message(error)),
                subject: text::string(sys::troupe_error_subject(error)),
                remedy: text::string(sys::troupe_error_remedy(error)),
            }))
        }
    }
}

/// Calls a function of the library that may store an error, and returns its result, or the error.
///
/// # Safety
///
/// `call` passes its argument as the parameter `error` of one function of the library.
pub(crate) unsafe fn checked<T>(call: impl FnOnce(*mut *mut sys::troupe_error) -> T) -> Result<T> {
    let mut error = ptr::null_mut();
    let result = call(&mut error);
    if error.is_null() {
        return Ok(result);
    }
    // SAFETY: the library stored an error, which this function owns, and uses it no more after the release.
    unsafe {
        let copy = Error::copy(error);
        sys::troupe_error_free(error);
        Err(copy)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.message(), self.code())
    }
}

impl std::error::Error for Error {}

/// The error becomes the inner error, and its code decides on the kind.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        let kind = match error.code() {
            "usage" | "invalidArgument" | "invalidSignature" | "invalidSetting" => io::ErrorKind::InvalidInput,
            "invalidData" | "reportedFailure" => io::ErrorKind::InvalidData,
            "notRegistered" | "unknown" => io::ErrorKind::NotFound,
            "untrusted" | "unpinned" | "notPermitted" => io::ErrorKind::PermissionDenied,
            "timedOut" => io::ErrorKind::TimedOut,
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, error)
    }
}

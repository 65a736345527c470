//! Conversions of texts and paths.

use std::ffi::{c_char, CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::ptr;

use crate::{Error, Result};

/// Returns a copy of a C string, with U+FFFD for bytes that are not UTF-8; an empty one for NULL.
///
/// # Safety
///
/// `text` is NULL or a C string.
pub(crate) unsafe fn string(text: *const c_char) -> String {
    // SAFETY: promised by the caller.
    unsafe { optional_string(text) }.unwrap_or_default()
}

/// Returns a copy of a C string; `None` for NULL.
///
/// # Safety
///
/// `text` is NULL or a C string.
pub(crate) unsafe fn optional_string(text: *const c_char) -> Option<String> {
    // SAFETY: promised by the caller.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// Returns the elements of a C array; none for NULL.
///
/// # Safety
///
/// `items` is NULL or points to `count` elements that are valid and unchanged for `'a`.
pub(crate) unsafe fn slice<'a, T>(items: *const T, count: usize) -> &'a [T] {
    if items.is_null() {
        return &[];
    }
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts(items, count) }
}

/// Returns a C string with the text. Fails with `invalidArgument` if the text contains a NUL.
pub(crate) fn c_string(text: impl AsRef<OsStr>) -> Result<CString> {
    let text = text.as_ref();
    CString::new(text.as_bytes()).map_err(|_| {
        Error::invalid_argument(format!("{text:?}"), "the text contains a NUL", "remove the character U+0000")
    })
}

/// C strings, and an array of pointers to them.
#[derive(Default)]
pub(crate) struct CStrings {
    /// Owns the memory of `pointers`.
    strings: Vec<CString>,
    pointers: Vec<*const c_char>,
}

impl CStrings {
    pub(crate) fn push(&mut self, string: CString) {
        self.pointers.push(string.as_ptr());
        self.strings.push(string);
    }

    pub(crate) fn as_ptr(&self) -> *const *const c_char {
        if self.pointers.is_empty() {
            ptr::null()
        } else {
            self.pointers.as_ptr()
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.strings.len()
    }
}

/// Returns the address of a C string; NULL for none.
pub(crate) fn pointer(string: &Option<CString>) -> *const c_char {
    string.as_ref().map_or(ptr::null(), |string| string.as_ptr())
}

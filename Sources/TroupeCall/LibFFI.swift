internal import Glibc

/// The libffi that makes the calls.
package enum LibFFI {
  /// An address within the library in use, by which the loader's records can be searched; nil if there is none.
  package static var address: UnsafeRawPointer? { UnsafeRawPointer(dlsym(nil, "ffi_call")) }
}
